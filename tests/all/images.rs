//! Container images: the running content is read, whatever layers and manifests say.
#![cfg(feature = "packages")]

use crate::common::audited::{damage, forms, found, look, objects};
use crate::common::packages::{code_object, gzip, image, tar, tar_header, tar_link};

/// A layer inserted by umoci 0.4 ends with the last byte of its last file: no padding, no zero blocks.
#[test]
fn layers_may_end_without_the_end_of_a_tar() {
    let code = code_object();
    let whole = tar(&[("opt/a.hsaco", code.as_slice()), ("opt/b.hsaco", &code)]);
    let end = 2 * (512 + code.len().next_multiple_of(512)) - (code.len().next_multiple_of(512) - code.len());
    for layer in [whole[..end].to_vec(), whole[..end.next_multiple_of(512)].to_vec(), gzip(&whole[..end])] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("image.tar");
        std::fs::write(&path, image(std::slice::from_ref(&layer))).unwrap();
        let inventory = look(&path);
        assert_eq!((damage(&inventory), objects(&inventory)), (Vec::new(), 2));
        // An end inside a file is a truncation.
        std::fs::write(&path, image(&[layer[..layer.len() - 600].to_vec()])).unwrap();
        assert!(!damage(&look(&path)).is_empty());
    }
    // The manifest states the length of a layer.
    let oci = std::fs::read(forms().join("oci.tar")).unwrap();
    let size = b"\"size\":143}";
    let at = oci.windows(size.len()).position(|word| word == size).unwrap() + size.len() - 4;
    let mut other = oci.clone();
    other[at] = b'2';
    let path = forms().join("oci.tar");
    assert_eq!(damage(&look(&path)), [""; 0]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("oci.tar");
    std::fs::write(&path, other).unwrap();
    let told = damage(&look(&path)).join("; ");
    assert!(told.contains("where the image states"), "{told}");
}

#[test]
fn layers_delete_and_replace_what_is_below_them_and_nothing_else() {
    let object = code_object();
    let base = tar(&[("opt/a/one.co", &object), ("opt/b/two.co", &object), ("three.co", &object)]);
    let count = |upper: Vec<u8>| found(&image(&[base.clone(), upper]));
    assert_eq!(count(tar(&[])), (3, String::new()));
    assert_eq!(count(tar(&[("opt/.wh.a", b"")])), (2, String::new()));
    assert_eq!(count(tar(&[("opt/.wh..wh..opq", b"")])), (1, String::new()));
    assert_eq!(count(tar(&[("./opt", b"no folder any more")])), (1, String::new()));
    assert_eq!(count(tar(&[("opt/a/.wh.two.co", b"")])), (3, String::new()));
    // A link in place of a folder hides it; a link next to it does not.
    assert_eq!(count([tar_header("opt", 0, b'2'), vec![0; 1024]].concat()), (1, String::new()));
    assert_eq!(count([tar_header("opt2", 0, b'1'), vec![0; 1024]].concat()), (3, String::new()));
    // Whiteouts that lead out of the image hide nothing and are reported.
    let (code, told) = count(tar(&[("opt/.wh...", b""), ("../.wh.opt", b"")]));
    assert!(code == 3 && told.contains("whiteout that leads out"), "{told}");
    // Missing layers, and layers that are not tar.
    let whole = image(&[base.clone(), tar(&[])]);
    let at = whole.windows(12).position(|window| window == b"\"Layers\":[\"0").unwrap();
    let mut lost = whole.clone();
    lost[at + 20] = b'7';
    let (_, told) = found(&lost);
    assert!(told.contains("its bytes are not in the image"), "{told}");
    let (code, told) = found(&image(&[base.clone(), b"no tar at all".repeat(100)]));
    assert!(code == 3 && told.contains("layer 2"), "{told}");
}

/// A file disappears with its last name: package stores and environments share files by hard links.
#[test]
fn a_file_that_is_deleted_by_one_name_is_there_by_another() {
    let object = code_object();
    let mut base = tar(&[("pkgs/libx.co", object.as_slice())]);
    base.truncate(base.len() - 1024);
    base.extend(tar_link("env/libx.co", 0, b'1', "pkgs/libx.co"));
    base.extend(tar_link("env/again.co", 0, b'1', "./pkgs/libx.co"));
    base.extend(tar_link("env/soft.co", 0, b'2', "../pkgs/libx.co"));
    base.extend([0; 1024]);
    for base in [base.clone(), gzip(&base)] {
        assert_eq!(found(&image(std::slice::from_ref(&base))), (1, String::new()));
        for (upper, objects) in [("pkgs/.wh.libx.co", 1), (".wh.pkgs", 1), ("pkgs/libx.co", 2)] {
            let content = if objects == 2 { object.as_slice() } else { b"" };
            let upper = image(&[base.clone(), tar(&[(upper, content)])]);
            assert_eq!(found(&upper), (objects, String::new()));
        }
        // One layer adds the link, and a third deletes the file.
        let link = [tar_link("srv/b.co", 0, b'1', "pkgs/libx.co"), vec![0; 1024]].concat();
        let upper = tar(&[(".wh.pkgs", b""), (".wh.env", b"")]);
        assert_eq!(found(&image(&[base.clone(), link.clone(), upper])), (1, String::new()));
        assert_eq!(found(&image(&[base.clone(), link])), (1, String::new()));
        let both = tar(&[(".wh.pkgs", b""), (".wh.env", b"")]);
        assert_eq!(found(&image(&[base.clone(), both])), (0, String::new()));
    }
}

#[test]
fn a_tar_is_an_image_only_where_its_manifest_names_layers() {
    let object = code_object();
    for (name, text) in [("manifest.json", "{\"name\":\"app\"}"), ("index.json", "[]"), ("version", "1.0")] {
        assert_eq!(
            found(&tar(&[(name, text.as_bytes()), ("lib/a.co", &object)])),
            (1, String::new()),
            "{name}"
        );
    }
    // Layers that no manifest names are read in file order, which is reported.
    let layer = tar(&[("opt/a.co", &object)]);
    let (code, told) = found(&tar(&[(&format!("{:064x}.tar", 0), &layer), ("manifest.json", b"cut of")]));
    assert!(code == 1 && told.contains("no manifest that names layers"), "{code} {told}");
}

/// go-containerregistry (crane, kaniko) names the configuration and the layers by digests, with the method before
/// them, and writes the manifest last; Docker's configuration and layers may have any name.
#[test]
fn an_image_is_one_whatever_its_members_are_called_and_in_any_order() {
    let object = code_object();
    let layers = [tar(&[("opt/a.co", object.as_slice())]), tar(&[("opt/.wh.a.co", b"")])];
    let digest = |number: usize| format!("{number:064x}");
    let crane = [format!("{}.tar.gz", digest(1)), format!("{}.tar.gz", digest(2))];
    let kaniko = crane.clone().map(|name| format!("sha256:{name}"));
    let docker = ["l1/layer.tar".to_owned(), "l2/layer.tar".to_owned()];
    let sha = format!("sha256:{}", digest(3));
    for (config, names, packed) in
        [(sha.as_str(), crane, true), (&sha, kaniko, true), ("cfg.json", docker, false)]
    {
        let layers = layers.clone().map(|layer| if packed { gzip(&layer) } else { layer });
        let manifest = format!(r#"[{{"Config":{config:?},"Layers":[{:?},{:?}]}}]"#, names[0], names[1]);
        let config = (config, &b"{}"[..]);
        let parts = [(names[0].as_str(), layers[0].as_slice()), (&names[1], &layers[1])];
        let manifest = ("manifest.json", manifest.as_bytes());
        let readme = ("README", &b"saved by hand"[..]);
        for members in [
            vec![config, parts[0], parts[1], manifest],
            vec![manifest, config, parts[0], parts[1]],
            vec![parts[1], parts[0], manifest, config],
            vec![readme, parts[1], config, parts[0], manifest],
        ] {
            let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
            assert_eq!(found(&tar(&members)), (0, String::new()), "{names:?}");
            if members[0].0 != "README" {
                assert_eq!(found(&gzip(&tar(&members))), (0, String::new()), "{names:?}, gzip");
            }
        }
    }
}

#[test]
fn what_somebody_has_put_beside_an_image_is_read_and_old_layers_are_not() {
    let object = code_object();
    let mut bytes = image(&[tar(&[("opt/a.co", &object)])]);
    bytes.truncate(bytes.len() - 1024);
    let stale = tar(&[("opt/old.co", &object)]);
    bytes.extend(tar(&[("libx.co", &object), (&format!("{:064x}.tar", 77), &stale)]));
    assert_eq!(found(&bytes), (2, String::new()));
}

/// An index that names itself, a manifest of many images with one large configuration, and layers named
/// repeatedly.
#[test]
fn manifests_that_name_each_other_for_ever_come_to_an_end() {
    let digest = format!("sha256:{:064x}", 5);
    let own = format!("{{\"digest\":\"{digest}\"}}");
    let index = format!("{{\"manifests\":[{}]}}", vec![own; 256].join(","));
    let layout = b"{\"imageLayoutVersion\":\"1.0.0\"}";
    let blob = format!("blobs/sha256/{:064x}", 5);
    let (_, told) =
        found(&tar(&[("oci-layout", layout), ("index.json", index.as_bytes()), (&blob, index.as_bytes())]));
    assert!(
        told.contains("indexes of images, one in the other") && told.contains("more than 1024 manifests"),
        "{told}"
    );

    let many = format!("[{}]", vec!["{\"Config\":\"c.json\",\"Layers\":[]}"; 100_000].join(","));
    let config = format!("{{\"a\":\"{}\"}}", "x".repeat(4_000_000));
    let (_, told) = found(&tar(&[("manifest.json", many.as_bytes()), ("c.json", config.as_bytes())]));
    assert!(told.contains("100000 images; 64 are read"), "{told}");

    let layer = tar(&[("a", &vec![0; 1 << 20])]);
    let name = format!("{:064x}.tar", 0);
    let layers = vec![format!("\"{name}\""); 800].join(",");
    let images = vec![format!("{{\"Layers\":[{layers}]}}"); 64].join(",");
    let (_, told) = found(&tar(&[("manifest.json", format!("[{images}]").as_bytes()), (&name, &layer)]));
    assert!(told.contains("more than"), "{told}");
}

/// A layer that is not tar does not affect the others.
#[test]
fn a_layer_of_another_media_type_is_named_and_the_others_are_read() {
    let digest = |number: u64| format!("{number:064x}");
    let layer = tar(&[("opt/a.co", &code_object())]);
    let manifest = format!(
        r#"{{"layers":[{{"digest":"sha256:{}","mediaType":"application/vnd.oci.image.layer.v1.tar"}},{{"digest":"sha256:{}","mediaType":"application/vnd.other.disk"}}]}}"#,
        digest(1),
        digest(2)
    );
    let index = format!(r#"{{"manifests":[{{"digest":"sha256:{}"}}]}}"#, digest(3));
    let names: Vec<String> = (1..4).map(|number| format!("blobs/sha256/{}", digest(number))).collect();
    let (code, told) = found(&tar(&[
        ("index.json", index.as_bytes()),
        (&names[0], &layer),
        (&names[1], b"a disk"),
        (&names[2], manifest.as_bytes()),
    ]));
    assert!(code == 1 && told.contains("media type application/vnd.other.disk"), "{told}");
}
