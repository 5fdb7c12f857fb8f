import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export interface CallRun {
  /** Working folder, in which the call of a reference page may write files. */
  dir: string
  variables: Readonly<Record<string, string>>
  /**
   * Maximum duration of a documented call. A stream of changes does not end: the call is stopped
   * then.
   */
  timeoutMs: number
}

export interface CallResult {
  /**
   * Exit code of the documented call's program. Null if the program was stopped after the timeout.
   */
  code: number | null
  stdout: string
  stderr: string
}

/**
 * Configuration of curl in documented calls: the status of the response is the last line of stderr.
 * curl stops before the shell is stopped, which could not report the status.
 */
const curlConfiguration = (timeoutMs: number) =>
  `silent\nshow-error\nwrite-out = "%{stderr}\\n%{http_code}"\nmax-time = ${timeoutMs / 2_000}\n`

/** Exit code of curl after `max-time` has passed. */
export const curlTimeout = 28

const programs = { sh: 'bash', ts: process.execPath, py: 'python3' } as const

/** Runs a call of a reference page as a program. */
export async function runCall(
  code: string,
  language: keyof typeof programs,
  { dir, variables, timeoutMs }: CallRun,
): Promise<CallResult> {
  const file = join(dir, `call.${language}`)
  await mkdir(dir, { recursive: true })
  await writeFile(join(dir, '.curlrc'), curlConfiguration(timeoutMs))
  await writeFile(file, code)
  const path = [dirname(process.execPath), process.env['PATH'] ?? '/usr/bin:/bin'].join(':')
  return new Promise((resolve) => {
    const env = { PATH: path, HOME: dir, CURL_HOME: dir, LANG: 'C.UTF-8', ...variables }
    const options = { cwd: dir, env, timeout: timeoutMs, maxBuffer: 50_000_000 }
    const child = execFile(programs[language], [file], options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    )
  })
}

/** HTTP status of the response to a documented call by curl. */
export function curlStatus({ stderr }: CallResult): number {
  return Number(/(\d{3})$/.exec(stderr)?.[1] ?? Number.NaN)
}
