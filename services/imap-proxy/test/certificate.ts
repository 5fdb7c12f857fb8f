import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates a self-signed TLS certificate for `localhost`, as PEM. */
export function testCertificate(): { cert: string; key: string } {
  const dir = mkdtempSync(join(tmpdir(), 'posthorn-certificate-'))
  const [cert, key] = [join(dir, 'cert.pem'), join(dir, 'key.pem')]
  const request =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost'
  try {
    execFileSync('openssl', [...request.split(' '), '-keyout', key, '-out', cert], {
      stdio: 'ignore',
    })
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
  } finally {
    rmSync(dir, { recursive: true })
  }
}
