#!/bin/bash
# Packs a folder in every form that is read, by the program that users have for it, and says of each what rocm-audit finds, with which exit
# status, and how long it takes beside the fastest unpacking of the same bytes to /dev/null: the best of three runs of both in one go.
#
#     benches/forms.sh ROCM_AUDIT PAYLOAD WORK [PASSES]
#
# Needs tar, gzip, bzip2, xz, zstd, lz4, lzip, 7zz, squashfs-tools, cpio, rpm, dpkg-deb, zip, umoci, skopeo and Python. Beside the folder itself
# the table has its sums, with which those of every form have to agree.
set -euo pipefail
audit=$(realpath "$1") payload=$(realpath "$2") work=$(realpath -m "$3") passes=${4:-3}
here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$work"; cd "$work"; rm -rf ./*
cp -r "$payload" tree
tar -C tree -cf x.tar .
for by in gzip bzip2 xz zstd lz4 lzip; do $by -q -c x.tar > "x.tar.$by"; done
(cd tree && find . | LC_ALL=C sort | cpio --quiet -o -H newc) > x.cpio
(cd tree && zip -qr ../x.zip .)
(cd tree && 7zz a -bso0 -bsp0 ../x.7z . && 7zz a -bso0 -bsp0 -m0=zstd ../x-copy.7z . 2> /dev/null || 7zz a -bso0 -bsp0 -m0=copy ../x-copy.7z .)
for by in gzip xz zstd lz4; do mksquashfs tree "x.$by.sqfs" -comp $by -noappend -quiet -no-progress > /dev/null; done
mkdir -p deb/DEBIAN deb/opt
printf 'Package: sample\nVersion: 1\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\nDescription: sample\n' > deb/DEBIAN/control
cp -r tree deb/opt/rocm; dpkg-deb -b deb x.deb > /dev/null
cat > x.spec <<SPEC
Name: sample
Version: 1
Release: 1
Summary: sample
License: MIT
BuildArch: noarch
%description
sample
%install
mkdir -p %{buildroot}/opt; cp -r $work/tree %{buildroot}/opt/rocm
%files
/opt/rocm
SPEC
for by in w6.gzdio w3.zstdio w2.xzdio; do
  rpmbuild -bb x.spec --define "_topdir $work/rpm" --define "_binary_payload $by" --define "_build_id_links none" \
    --define "debug_package %{nil}" --define "__os_install_post %{nil}" --define "_dbpath $work/db" --nodeps > /dev/null 2>&1
  mv rpm/RPMS/noarch/*.rpm "x.$by.rpm"
done
mkdir made; cp x.gzip.sqfs made/gzip.sqfs; python3 "$here/fixtures/forms.py" tree made > /dev/null
# An image whose second layer adds a copy and whose third deletes rocBLAS's folder; its tree as umoci unpacks it.
umoci init --layout oci; umoci new --image oci:latest; umoci unpack --rootless --image oci:latest bundle > /dev/null
layer() { umoci repack --image oci:latest bundle --history.created_by "$1" --refresh-bundle 2> /dev/null; }
mkdir -p bundle/rootfs/opt; cp -r tree bundle/rootfs/opt/rocm; layer "COPY tree /opt/rocm"
library=$(cd tree && find . -name '*.so*' -type f | LC_ALL=C sort | head -1)
mkdir bundle/rootfs/venv; cp "tree/$library" bundle/rootfs/venv/; layer "pip install sample"
find bundle/rootfs/opt -type d -name rocblas -prune -exec rm -rf {} +; layer "rm -rf rocblas"
umoci unpack --rootless --image oci:latest unpacked > /dev/null
echo '{"default":[{"type":"insecureAcceptAnything"}]}' > policy.json
skopeo --policy policy.json copy -q oci:oci:latest docker-archive:docker.tar:sample:latest

sums() { "$audit" -f json "$1" 2> /dev/null | python3 -c '
import json, sys
d = json.load(sys.stdin)
s = d["summary"]
print(s["code_objects"], s["kernels"], "complete" if d["complete"] else "incomplete")' ; }
best() { # seconds of the fastest run, and the most memory in MiB
  local least=999999 memory=0 i
  for i in $(seq "$passes"); do
    /usr/bin/time -o time.txt -f '%e %M' "$@" > /dev/null 2>&1 || true
    read -r seconds kib < <(tail -1 time.txt)
    least=$(python3 -c "print(min($least, $seconds))"); memory=$((kib / 1024 > memory ? kib / 1024 : memory))
  done
  echo "$least $memory"
}
row() { # form, file, and the fastest unpacking of it
  local form=$1 file=$2; shift 2
  local found status own peer
  status=0; "$audit" "$file" > /dev/null 2>&1 || status=$?
  found=$(sums "$file"); own=$(best "$audit" "$file")
  peer=$(best bash -c "$*")
  python3 - "$form" "$found" "$status" "$own" "$peer" <<'P'
import sys
form, found, status, own, peer = sys.argv[1:]
objects, kernels, complete = found.split()
(seconds, memory), (other, _) = own.split(), peer.split()
ratio = float(seconds) / max(float(other), 0.01)
print(f"| {form} | {objects} | {kernels} | {complete} | {status} | {float(seconds):.2f} s | {float(other):.2f} s | {ratio:.2f} | {memory} MiB |")
P
}
echo '| form | code objects | kernels | | exit | rocm-audit | unpacking | ratio | memory |'
echo '| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |'
row folder tree "cat \$(find tree -type f)"
row tar x.tar "tar -xOf x.tar"
row tar.gz x.tar.gzip "gzip -dc x.tar.gzip"
row tar.bz2 x.tar.bzip2 "bzip2 -dc x.tar.bzip2"
row tar.xz x.tar.xz "xz -T0 -dc x.tar.xz"
row tar.zst x.tar.zstd "zstd -q -dc x.tar.zstd"
row tar.lz4 x.tar.lz4 "lz4 -q -dc x.tar.lz4"
row tar.lz x.tar.lzip "lzip -dc x.tar.lzip"
row cpio x.cpio "cpio --quiet -i --to-stdout < x.cpio"
row 'zip, wheel' x.zip "unzip -p x.zip"
row '7z, LZMA2' x.7z "7zz x -so -bsp0 x.7z"
row '7z, copies' x-copy.7z "7zz x -so -bsp0 x-copy.7z"
for by in gzip xz zstd lz4; do row "squashfs, $by" "x.$by.sqfs" "rm -rf u; unsquashfs -q -n -d u x.$by.sqfs"; done
row 'Debian package' x.deb "dpkg-deb --fsys-tarfile x.deb"
for by in w6.gzdio w3.zstdio w2.xzdio; do row "RPM, ${by#w?.}" "x.$by.rpm" "rpm2cpio x.$by.rpm"; done
row NAR made/x.nar "cat made/x.nar"
row 'Singularity image' made/x.sif "rm -rf u; unsquashfs -q -n -d u x.gzip.sqfs"
row 'image, unpacked by umoci' unpacked/rootfs "cat \$(find unpacked/rootfs -type f)"
row 'image, OCI layout' oci "rm -rf v; umoci unpack --rootless --image oci:latest v"
row 'image, docker save' docker.tar "tar -xOf docker.tar"
