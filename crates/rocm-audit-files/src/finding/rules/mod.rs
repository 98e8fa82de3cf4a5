//! The registry: every kind of finding there is, one file each.
//!
//! To add a rule, write its file, one line below, and its row in `tests/all/findings`; then run `cargo xtask rules`. Its page is
//! the documentation of its static, without which the macro does not compile it. Tests fail where a file is not listed, where
//! an id does not fit its file, and where a rule has no page in `docs/rules` or no fixtures.

use super::rule::Rule;

/// What a rule is about. It is the folder that the rule's file lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Topic {
    /// The folder's name.
    pub name: &'static str,
    /// The same in a sentence.
    pub about: &'static str,
}

macro_rules! registry {
    ($($(#[doc = $about:literal])+ $topic:ident { $($file:ident $name:ident)* })*) => {
        $(
            $(#[doc = $about])+
            pub mod $topic {
                $(mod $file; pub use $file::$name;)*
            }
        )*

        /// All topics, in the order of reports.
        pub static TOPICS: &[Topic] = &[$(Topic { name: stringify!($topic), about: concat!($($about),+) }),*];

        /// All rules, in the order of reports, each with its topic.
        pub static RULES: &[(&str, &Rule)] = &[$($((stringify!($topic), &$topic::$name)),*),*];
    };
}

registry! {
    /// Input that could not be read as what it is said to be.
    read {
        malformed_bytes MALFORMED_BYTES
        cut_end CUT_END
        overlapping_parts OVERLAPPING_PARTS
        wrong_size WRONG_SIZE
        wrong_hash WRONG_HASH
        manifest_differs MANIFEST_DIFFERS
        inflates_too_far INFLATES_TOO_FAR
        too_many_parts TOO_MANY_PARTS
        work_limit WORK_LIMIT
        duplicate_name DUPLICATE_NAME
        unsafe_path UNSAFE_PATH
        link_loop LINK_LOOP
        unknown_method UNKNOWN_METHOD
        encrypted_member ENCRYPTED_MEMBER
        nested_too_deep NESTED_TOO_DEEP
        container_not_opened CONTAINER_NOT_OPENED
        link_not_followed LINK_NOT_FOLLOWED
        special_file SPECIAL_FILE
        unreadable_file UNREADABLE_FILE
        changed_while_read CHANGED_WHILE_READ
        dangling_link DANGLING_LINK
        line_not_understood LINE_NOT_UNDERSTOOD
    }
    /// Code objects as such.
    code {
        names_disagree NAMES_DISAGREE
        fused_target_names FUSED_TARGET_NAMES
        found_by_search FOUND_BY_SEARCH
        cache_entry_broken CACHE_ENTRY_BROKEN
        cache_stale CACHE_STALE
        target_not_listed TARGET_NOT_LISTED
        xnack_states_differ XNACK_STATES_DIFFER
        xnack_fixed_for_apu XNACK_FIXED_FOR_APU
        variants_differ VARIANTS_DIFFER
        convolutions_unversioned_missing CONVOLUTIONS_UNVERSIONED_MISSING
        firmware_with_fault FIRMWARE_WITH_FAULT
        registers_beyond_work_group REGISTERS_BEYOND_WORK_GROUP
        resources_beyond_target RESOURCES_BEYOND_TARGET
        much_private_memory MUCH_PRIVATE_MEMORY
        words_of_no_instruction WORDS_OF_NO_INSTRUCTION
        result_used_early RESULT_USED_EARLY
        wait_missing_on_a_way WAIT_MISSING_ON_A_WAY
        wait_states_missing WAIT_STATES_MISSING
        magic_in_compressed_bytes MAGIC_IN_COMPRESSED_BYTES
        database_without_code DATABASE_WITHOUT_CODE
        manifest_kernel_missing MANIFEST_KERNEL_MISSING
    }
    /// How libraries find each other, their runtime and their files.
    linking {
        needed_of_another_release NEEDED_OF_ANOTHER_RELEASE
        symbol_unresolved SYMBOL_UNRESOLVED
        device_stub_undefined DEVICE_STUB_UNDEFINED
        stack_executable STACK_EXECUTABLE
        runtimes_of_two_releases RUNTIMES_OF_TWO_RELEASES
        path_with_blank PATH_WITH_BLANK
        code_objects_too_new CODE_OBJECTS_TOO_NEW
        runtime_without_target RUNTIME_WITHOUT_TARGET
        built_for_cuda BUILT_FOR_CUDA
        needed_not_here NEEDED_NOT_HERE
        runpath_absolute RUNPATH_ABSOLUTE
        package_not_here PACKAGE_NOT_HERE
        images_judged_together IMAGES_JUDGED_TOGETHER
    }
    /// Archives to which device code was moved.
    kpack {
        archive_missing ARCHIVE_MISSING
        variables_missing VARIABLES_MISSING
        archive_without_code ARCHIVE_WITHOUT_CODE
        archive_hidden ARCHIVE_HIDDEN
        archive_orphaned ARCHIVE_ORPHANED
    }
    /// Bytes that are there and need not be.
    waste {
        duplicate_code_objects DUPLICATE_CODE_OBJECTS
        debug_information DEBUG_INFORMATION
        uncompressed_bundles UNCOMPRESSED_BUNDLES
        padding PADDING
        size_over_budget SIZE_OVER_BUDGET
    }
    /// Library folders of rocBLAS and hipBLASLt.
    tensile {
        master_catalog_missing MASTER_MISSING
        master_catalog_unreadable MASTER_UNREADABLE
        catalog_missing CATALOG_MISSING
        catalog_unreadable CATALOG_UNREADABLE
        catalog_nested CATALOG_NESTED
        code_object_missing CODE_OBJECT_MISSING
        code_object_refused CODE_OBJECT_REFUSED
        code_object_unreadable CODE_OBJECT_UNREADABLE
        kernel_missing KERNEL_MISSING
        helper_missing HELPER_MISSING
        helper_kernel_missing HELPER_KERNEL_MISSING
        solution_unreadable SOLUTION_UNREADABLE
        solution_index_twice INDEX_TWICE
        solution_index_of_another_target INDEX_ELSEWHERE
        mapping_wrong MAPPING_WRONG
        ext_op_missing EXT_OP_MISSING
        transform_missing TRANSFORM_MISSING
        answer_depends_on_history HISTORY
        catalog_orphaned CATALOG_ORPHANED
        code_object_orphaned CODE_OBJECT_ORPHANED
        own_folder_empty OWN_FOLDER_EMPTY
        target_not_served TARGET_NOT_SERVED
        several_targets SEVERAL_TARGETS
        no_native_catalogs NO_NATIVE
        folder_of_another_release OTHER_RELEASE
        table_empty TABLE_EMPTY
        solution_unreachable SOLUTION_UNREACHABLE
        kernel_twins KERNEL_TWINS
        kernel_orphaned KERNEL_ORPHANED
        node_unknown NODE_UNKNOWN
        library_folder_missing LIBRARY_FOLDER_MISSING
        catalogs_without_own_code CATALOGS_WITHOUT_OWN_CODE
        catalog_of_another_target OF_ANOTHER_TARGET
        manifest_file_missing MANIFEST_FILE_MISSING
        revision_folder_missing REVISION_FOLDER_MISSING
        stale_tuning STALE_TUNING
        tuning_in_force TUNING_IN_FORCE
        catalog_word_unknown WORD_UNKNOWN
        catalog_key_missing KEY_MISSING
        catalog_form_not_read FORM_NOT_READ
        catalog_form_passed_over FORM_PASSED_OVER
        catalog_forms_differ FORMS_DIFFER
        solution_unlike_kernel SOLUTION_UNLIKE_KERNEL
        occupancy_overstated OCCUPANCY_OVERSTATED
        kernel_over_limits KERNEL_OVER_LIMITS
        fingerprint_differs FINGERPRINT_DIFFERS
    }
    /// Databases of MIOpen.
    miopen {
        swapped_height_width SWAPPED_HEIGHT_WIDTH
        copied_measurements COPIED_MEASUREMENTS
        zero_time ZERO_TIME
        malformed_key MALFORMED_KEY
        miopen_3d_layout LAYOUT_OF_FEWER_DIMENSIONS
        ill_formed_record ILL_FORMED_RECORD
        duplicate_key DUPLICATE_KEY
        retired_solver RETIRED_SOLVER
        dead_perf_row DEAD_PERF_ROW
        impossible_name IMPOSSIBLE_NAME
        no_perf_db NO_PERF_DB
        lfs_pointer LFS_POINTER
        model_unusable MODEL_UNUSABLE
        model_unfit MODEL_UNFIT
        columns_missing COLUMNS_MISSING
        user_database_of_another_release OTHER_RELEASE
    }
    /// What bears on an answer of `select`.
    answer {
        xf32_computed_in_float XF32_COMPUTED_IN_FLOAT
        launch_grid_cut LAUNCH_GRID_CUT
        solution_without_kernel SOLUTION_WITHOUT_KERNEL
        operation_refused OPERATION_REFUSED
        experts_by_host EXPERTS_BY_HOST
        model_part_missing MODEL_PART_MISSING
        model_config_missing MODEL_CONFIG_MISSING
        model_quantization_refused MODEL_QUANTIZATION_REFUSED
        rule_carried_over RULE_CARRIED_OVER
        target_without_code TARGET_WITHOUT_CODE
        symbols_stripped SYMBOLS_STRIPPED
        content_not_examined CONTENT_NOT_EXAMINED
        trap_stub TRAP_STUB
        kernel_absent KERNEL_ABSENT
        register_spills REGISTER_SPILLS
        rules_of_nearest_version RULES_OF_NEAREST_VERSION
        solver_check_missing SOLVER_CHECK_MISSING
        record_without_solver RECORD_WITHOUT_SOLVER
        convolution_crashes CONVOLUTION_CRASHES
        tuning_model_missing TUNING_MODEL_MISSING
        immediate_mode_fails IMMEDIATE_MODE_FAILS
        no_fallback_solver NO_FALLBACK_SOLVER
        no_database NO_DATABASE
        nearest_database_unreachable NEAREST_DATABASE_UNREACHABLE
        mirrored_record MIRRORED_RECORD
        gemm_not_answered GEMM_NOT_ANSWERED
        variable_not_modelled VARIABLE_NOT_MODELLED
        fill_without_catalog FILL_WITHOUT_CATALOG
        choice_not_known CHOICE_NOT_KNOWN
        algorithm_order_undetermined ALGORITHM_ORDER_UNDETERMINED
        matmul_depends_on_history MATMUL_DEPENDS_ON_HISTORY
    }
}

/// The rule of an id.
pub fn of_id(id: &str) -> Option<&'static Rule> {
    RULES.iter().map(|(_, rule)| *rule).find(|rule| rule.id == id)
}

impl Rule {
    /// The topic that it is listed under.
    pub fn topic(&self) -> &'static str {
        RULES.iter().find(|(_, rule)| *rule == self).map_or("", |(topic, _)| topic)
    }

    /// Its place in the registry: reports show findings of the same severity in this order.
    pub fn place(&self) -> usize {
        RULES.iter().position(|(_, rule)| *rule == self).unwrap_or(RULES.len())
    }
}
