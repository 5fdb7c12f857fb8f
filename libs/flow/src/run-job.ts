import { constants } from 'node:os'

/** Job: process that ends when its work is done, such as `migrate`. */
export interface Job {
  /** Does the work of the job and resolves to the exit status. */
  work: () => Promise<number>
  /** Returns the line that is printed about an error of the job, without secrets. */
  describeError: (error: unknown) => string
}

/** Message of a job that a signal ended. */
export const jobInterrupted = 'job interrupted by a signal, run it again'

/**
 * Runs a job, a process that ends when its work is done. An error is printed and gives the exit
 * status 1.
 *
 * SIGTERM and SIGINT end the process immediately, with the status 143 or 130 of a shell (128 plus
 * the number of the signal). Process 1 of a container has no such default: without a handler it
 * ignores both signals. The end closes all connections, so that Postgres rolls open transactions
 * back and releases their locks. A job therefore writes in transactions or steps that may be
 * repeated.
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
