import { access, chown, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { selfSigned } from './self-signed.ts'
import type { Place } from './unprivileged.ts'

/** Makes a mail server's certificate and key, `tls.crt` and `tls.key` in the folder, unless they are there. `reader` may read the key. */
export async function makeCertificate(dir: string, reader: Place['as'] = {}): Promise<void> {
  const certificate = join(dir, 'tls.crt')
  const there = await access(certificate).then(
    () => true,
    () => false,
  )
  if (there) return
  const { cert, key } = selfSigned(['mail.test', 'localhost', '127.0.0.1'])
  const keyFile = join(dir, 'tls.key')
  await writeFile(keyFile, key, { mode: 0o600 })
  if (reader.uid !== undefined) await chown(keyFile, reader.uid, reader.gid ?? reader.uid)
  await writeFile(`${certificate}.draft`, cert)
  await rename(`${certificate}.draft`, certificate)
}
