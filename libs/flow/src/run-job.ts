import { constants } from 'node:os'

/** Job: process that ends when its work is done, such as `migrate`. */
export interface Job {
  /** Function that does the work of the job and resolves with the exit status of the process. */
  work: () => Promise<number>
  /** Returns the line to print for an error of the job. The line must not contain secrets. */
  describeError: (error: unknown) => string
}

/** Text that is printed when SIGTERM or SIGINT ends the job. */
export const jobInterrupted = 'job interrupted by a signal, run it again'

/**
 * Runs a job: a process that ends when its work is done. An error is printed, and the exit status
 * is 1.
 *
 * SIGTERM and SIGINT end the process immediately. As in a shell, the exit status is then 143 or
 * 130: 128 plus the number of the signal. The handler for the signals is needed in containers,
 * where the first process ignores both signals by default. The end of the process closes all
 * connections, so that Postgres rolls back open transactions and releases their locks. A job must
 * therefore write in transactions or in steps that can be repeated.
 */
export async function runJob({ work, describeError }: Job): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      process.stderr.write(`${jobInterrupted}\n`)
      process.exit(128 + constants.signals[signal])
    })
  try {
    process.exitCode = await work()
  } catch (error) {
    process.stderr.write(`${describeError(error)}\n`)
    process.exitCode = 1
  }
}
