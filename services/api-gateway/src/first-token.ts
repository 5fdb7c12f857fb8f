import { rename, writeFile } from 'node:fs/promises'

/**
 * Writes the first token for the operator: to a file with mode 0600, or to stderr without a file
 * name. The token must not be logged, because log collectors store logs.
 */
export async function writeFirstToken(token: string, file: string | undefined): Promise<void> {
  if (file === undefined) {
    process.stderr.write(`First access token, shown this once: ${token}\n`)
    return
  }
  const temporary = `${file}.${process.pid}.tmp`
  await writeFile(temporary, `${token}\n`, { mode: 0o600, flag: 'wx' })
  await rename(temporary, file)
}
