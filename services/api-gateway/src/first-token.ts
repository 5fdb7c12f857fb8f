import { rename, writeFile } from 'node:fs/promises'

/** Hands the first token over: into a file that its owner alone can read, or once to stderr, which nobody parses. */
export function firstTokenWriter(file: string | undefined): (token: string) => Promise<void> {
  return async (token) => {
    if (file === undefined) {
      process.stderr.write(`First access token, shown this once: ${token}\n`)
      return
    }
    const unfinished = `${file}.${process.pid}.tmp`
    await writeFile(unfinished, `${token}\n`, { mode: 0o600, flag: 'wx' })
    await rename(unfinished, file)
  }
}
