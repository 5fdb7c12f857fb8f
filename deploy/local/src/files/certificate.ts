import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DataDirectory } from './data-directory.ts'

/**
 * Self-signed certificate and its private key, both in PEM format. Only for servers on this
 * machine.
 */
export interface SelfSignedCertificate {
  key: string
  cert: string
}

/**
 * Creates a self-signed certificate for host names and IPv4 addresses, valid for ten years. The key
 * is EC P-256 or RSA 2048. The certificate is encoded in DER (RFC 5280 §4.1).
 */
export function selfSigned(
  names: readonly string[],
  { keyType = 'ec' }: { keyType?: 'ec' | 'rsa' } = {},
): SelfSignedCertificate {
  const { privateKey, publicKey } =
    keyType === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 })
  const name = sequence(
    der(0x31, sequence(oid('2.5.4.3'), der(0x0c, Buffer.from(names[0] ?? 'localhost')))),
  )
  // Signature algorithm of the self-signed certificate: for EC keys ecdsa-with-SHA256 (RFC 5758
  // §3.2), for RSA keys sha256WithRSAEncryption with NULL parameters (RFC 4055 §5).
  const algorithm =
    keyType === 'ec'
      ? sequence(oid('1.2.840.10045.4.3.2'))
      : sequence(oid('1.2.840.113549.1.1.11'), der(0x05, Buffer.alloc(0)))
  const year = 365 * 24 * 60 * 60 * 1000
  const alternatives = sequence(...names.map(alternative))
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))), // Version of the certificate: X.509 version 3.
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    sequence(time(Date.now() - 24 * 60 * 60 * 1000), time(Date.now() + 10 * year)),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
    der(
      0xa3,
      sequence(
        extension('2.5.29.17', alternatives),
        extension('2.5.29.19', sequence(der(0x01, Buffer.from([0xff])))),
      ),
    ),
  )
  const signature = sign('sha256', body, privateKey)
  const certificate = sequence(
    body,
    algorithm,
    der(0x03, Buffer.concat([Buffer.from([0]), signature])),
  )
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  }
}

/** Encodes a value in DER: a tag, a length (X.690 §8.1.3) and the content. */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content])
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), content])
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

function integer(bytes: Buffer): Buffer {
  return der(0x02, bytes)
}

function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replace(/[-:T]/g, '').slice(2, 14)
  return der(0x17, Buffer.from(`${digits}Z`))
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(oid(id), der(0x04, value))
}

/** Encodes a subject alternative name (RFC 5280 §4.2.1.6): [2] DNS name, [7] IP address. */
function alternative(name: string): Buffer {
  return /^[\d.]+$/.test(name)
    ? der(0x87, Buffer.from(name.split('.').map(Number)))
    : der(0x82, Buffer.from(name))
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  const bytes = [first * 40 + second]
  for (const part of rest) {
    const groups = [part & 0x7f]
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80)
    bytes.push(...groups)
  }
  return der(0x06, Buffer.from(bytes))
}

/**
 * Creates `tls.crt` and `tls.key` of a mail server in a directory unless they exist. The user
 * `reader` may read the key.
 */
export async function createServerCertificate(
  dir: string,
  reader: DataDirectory['owner'] = {},
): Promise<void> {
  const certificate = join(dir, 'tls.crt')
  if (existsSync(certificate)) return
  const { cert, key } = selfSigned(['mail.test', 'localhost', '127.0.0.1'])
  const keyFile = join(dir, 'tls.key')
  await writeFile(keyFile, key, { mode: 0o600 })
  if (reader.uid !== undefined) await chown(keyFile, reader.uid, reader.gid ?? reader.uid)
  await writeFile(`${certificate}.draft`, cert)
  await rename(`${certificate}.draft`, certificate)
}
