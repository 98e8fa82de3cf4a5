//! Messages of package managers: apt, dpkg, dnf, yum, zypper, pacman, pip, uv, Poetry and conda.

messages! {
    // A package of ROCm is named, in the sentences of each manager.
    "package-install" Environment Reason Own "package manager"
        // apt and dpkg. apt speaks the language of the system.
        [r"<package> : ? depends (on)? : "
         r"<package> : ? hängt ab von"
         r"<package> : ? dépend"
         r"<package> : ? 依赖"
         r"<package> : ? зависит"
         r"<package> : ? depende :"
         r"paket <package> kann nicht gefunden"
         r"impossible de trouver le paquet <package>"
         r"localizar el paquete <package>"
         r"无法定位软件包 <package>"
         r"dependency problems prevent configuration of <package>"
         // apt's search for a way out, with -o Debug::pkgProblemResolver=yes.
         r"broken <package> ( : [a-z0-9]{3,8})? (depends on|conflicts on|breaks on)"
         r"depends : ? <package> (\([^)]{1,60}\))? ,? ?but (it is not|[0-9])"
         r"(packages have )?unmet dependencies <any> <package>"
         r"unable to locate package <package>"
         r"package <package> has no installation candidate"
         r"package <package> is not available"
         r"error processing (package|archive) [^|]{0,120}? <package>"
         r"trying to overwrite [^|]{1,200}? (also|is also)? in package <package>"
         // dnf, yum and zypper.
         r"nothing provides [^|]{1,80}? needed by (the to be installed )?<package>"
         r"nothing provides <package>"
         r"conflicting requests <any> <package>"
         r"package <package> requires [^|]{1,120}? none of the providers"
         r"error : ? package : ? <package> [^|]{0,160}? requires : "
         r"no match for argument :? ? <package>"
         r"unable to find a match :? ? <package>"
         // rpm's check of files, which dnf passes on: its own words are in the system's language.
         r"transaction failed : [^|]{0,300}? <package>"
         r"file /[^|]{1,160}? from install of <package> [^|]{0,60}? conflicts with file"
         r"no package :? ? <package>"
         // pacman.
         r"target not found : ? <package>"
         r"unable to satisfy dependency <package>"
         r"breaks dependency <package>"
         r"unable to satisfy dependency [^|]{1,80}? required by <package>"
         r"breaks dependency [^|]{1,80}? required by <package>"
         r"<package> : ? /[^|:]{1,200}? exists in filesystem"
         // The script amdgpu-install, and the repository that it sets up.
         r"unsupported os : ? /etc/os-release"
         r"repo\.radeon\.com <any> (no_pubkey|404|403|not signed|does no(t|longer) have a release file|couldn'?t be verified|signature)"
         r"(no_pubkey|404|403|not signed|does no(t|longer) have a release file|couldn'?t be verified|signature) <any> repo\.radeon\.com"
         r"repo\.radeon\.com <any> no valid openpgp data"
         // pip.
         r"(no matching distribution found for|could not find a version that satisfies the requirement) [^|]{0,80}? rocm"]
        ["PKG-INSTALL"]
        "The package manager could not install packages of ROCm: another repository, key, release or Python is needed, or packages of two repositories are mixed."
        "Bytes of files show nothing of it: nothing was installed."
    // Any package: it counts where the log speaks of ROCm.
    "package-not-offered" Environment Reason Ported "package manager"
        [r"no matching distribution found for [a-z0-9_.,<>=!~\[\] -]{2,80} ($|[^a-z0-9_.,<>=!~\[\]+ -])"
         r"no wheels? with a matching (platform|python|abi) tag"
         r"is not a supported wheel on this platform"
         r"resolutionimpossible"
         r"these package versions have conflicting dependencies"
         r"packages have unmet dependencies"
         r"you have held broken packages"
         // uv.
         r"no solution found when resolving"
         r"(your )?requirements are unsatisfiable"
         // Poetry.
         r"unable to find installation candidates for"
         r"version solving failed"
         // conda and mamba.
         r"packagesnotfounderror"
         r"resolvepackagenotfound"
         r"unsatisfiableerror"]
        ["PKG-INSTALL"]
        "The package manager finds no set of packages at the addresses that it was given: one is missing there, or has nothing for this Python, this system or this release of ROCm."
        "Bytes of files show nothing of it: nothing was installed."
}
