#!/bin/sh
# relocate-debian-erlang.sh ROOT
# ROOT is a directory with the extracted erlang-* and rabbitmq-server packages of Debian. Makes that
# Erlang run from there, without root and without /usr/lib/erlang, which Debian writes into bin/erl.
# If ROOT has its own libc6 (packages of a newer Debian), every program of Erlang is started through
# ROOT's loader, so that it runs on an older machine. LD_LIBRARY_PATH must not be set then, because
# this machine's shell would load that libc, too.
set -eu
root=$(cd "$1" && pwd -P)
erlang="$root/usr/lib/erlang"
erts=$(basename "$(echo "$erlang"/erts-*)")

for file in "$erlang/bin/erl" "$erlang/$erts/bin/erl"; do
  [ -e "$file" ] || continue
  cat > "$file.new" <<SCRIPT
#!/bin/sh
here=\$(dirname "\$(readlink -f "\$0")")
ROOTDIR=\${here%%/lib/erlang/*}/lib/erlang BINDIR=\${here%%/lib/erlang/*}/lib/erlang/$erts/bin EMU=beam PROGNAME=erl
export ROOTDIR BINDIR EMU PROGNAME
exec "\$BINDIR/erlexec" "\$@"
SCRIPT
  chmod 755 "$file.new"
  mv -f "$file.new" "$file"
done

loader=
for file in "$root"/usr/lib64/ld-linux-x86-64.so.2 "$root"/lib64/ld-linux-x86-64.so.2 \
  "$root"/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 "$root"/usr/lib/ld-linux-aarch64.so.1 "$root"/lib/ld-linux-aarch64.so.1; do
  if [ -e "$file" ]; then loader=$file; break; fi
done
[ -n "$loader" ] || exit 0
triplet=$(uname -m)-linux-gnu
libraries="$root/usr/lib/$triplet:$root/lib/$triplet:$root/usr/lib:$root/lib"
for file in "$erlang/$erts"/bin/* "$erlang"/bin/* "$erlang"/lib/*/priv/bin/*; do
  [ -f "$file" ] && [ ! -h "$file" ] && [ "$(head -c4 "$file" | tail -c3)" = ELF ] || continue
  mv "$file" "$file.elf"
  printf '#!/bin/sh\nexec "%s" --argv0 "$0" --library-path "%s" "%s" "$@"\n' "$loader" "$libraries" "$file.elf" > "$file"
  chmod 755 "$file"
done
