import type { Readable, Writable } from 'node:stream'

/** Stream to which the process prints. The streams of a process have more members. */
export interface OutputStream extends Writable {
  isTTY?: boolean
  columns?: number
}

/** Standard input of a process. `setRawMode` exists on terminals only. */
export interface InputStream extends Readable {
  isTTY?: boolean
  setRawMode?: (mode: boolean) => unknown
}

/** Standard streams and environment variables of the process, which commands use. */
export interface Terminal {
  stdin: InputStream
  stdout: OutputStream
  stderr: OutputStream
  env: Readonly<Record<string, string | undefined>>
}
