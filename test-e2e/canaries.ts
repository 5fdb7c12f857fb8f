import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withClient } from '@posthorn/local/postgres/client'

/** Secret texts that a test searches for in all output. */
export class Canaries {
  readonly #secrets = new Map<string, string>()

  /**
   * Returns the secret text with a name: the same text in each call. The text needs no escaping in
   * addresses, mail or JSON.
   */
  get(name: string): string {
    const existing = this.#secrets.get(name)
    return existing ?? this.add(name, `Canary${randomBytes(16).toString('hex')}`)
  }

  /** Adds a secret that the system has created, such as an access token. */
  add(name: string, secret: string): string {
    this.#secrets.set(name, secret)
    return secret
  }

  /**
   * Names of the secrets that a text contains: plain, in base64 at any offset, or in hexadecimal
   * digits.
   */
  find(text: string): string[] {
    return [...this.#secrets].flatMap(([name, secret]) =>
      encodings(secret).some((disguise) => text.includes(disguise)) ? [name] : [],
    )
  }
}

function encodings(secret: string): string[] {
  const base64 = [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]).toString('base64url')
    // Leaves out the base64 digits of a secret that also depend on the bytes next to the secret.
    const inner = text.slice(offset === 0 ? 0 : offset + 1, -2)
    return [inner, inner.replaceAll('-', '+').replaceAll('_', '/')]
  })
  const hex = Buffer.from(secret).toString('hex')
  return [secret, ...base64, hex, hex.toUpperCase()]
}

/** Logs of all services by file name. */
export async function readLogs(logDir: string): Promise<Record<string, string>> {
  const files = await readdir(logDir)
  const texts = await Promise.all(files.map((file) => readFile(join(logDir, file), 'utf8')))
  return Object.fromEntries(files.map((file, index) => [file, texts[index] ?? '']))
}

/** Contents of all columns of the database, by `table.column`. */
export async function dumpColumns(ownerUrl: string): Promise<Record<string, string>> {
  return withClient(ownerUrl, async (client) => {
    const { rows: columns } = await client.query<{ name: string; of_table: string }>(
      `select attname as name, relname as of_table from pg_attribute a join pg_class c on c.oid = attrelid
       where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped`,
    )
    const dumped: Record<string, string> = {}
    for (const { name, of_table: table } of columns) {
      const { rows } = await client.query<{ text: string | null }>(
        `select string_agg("${name}"::text, E'\\n') as text from "${table}"`,
      )
      dumped[`${table}.${name}`] = rows[0]?.text ?? ''
    }
    return dumped
  })
}
