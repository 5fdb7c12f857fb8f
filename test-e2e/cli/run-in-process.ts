import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { runCli } from '@posthorn/cli'
import type { PosthornResult, PosthornRun } from './run-posthorn.ts'

/** Directory, environment and files of a `posthorn` command line that runs in the test process. */
export interface InProcessRun extends Required<Pick<PosthornRun, 'cwd' | 'env'>> {
  /** Names of the files in `cwd` that a command line may read. */
  files: readonly string[]
}

/**
 * Runs a command line of `posthorn` in the test process, which takes much less CPU time than a new
 * process. Supports quotes and redirections, but no pipes. Output that the line redirects to a file
 * is not written to the file, but returned as `stdout`.
 */
export async function runInProcess(
  line: string,
  { cwd, env, files }: InProcessRun,
): Promise<PosthornResult> {
  const pathOf = (word: string) => (files.includes(word) ? join(cwd, word) : word)
  const { args, input } = parseLine(line)
  const stdin = input === undefined ? Readable.from([]) : createReadStream(pathOf(input))
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const outputs = Promise.all([text(stdout), text(stderr)])
  const code = await runCli(args.map(pathOf), {
    terminal: { stdin, stdout, stderr, env: { HOME: cwd, ...env } },
    version: 'test',
    jobs: [],
    services: [],
    signal: new AbortController().signal,
  })
  stdin.destroy()
  stdout.end()
  stderr.end()
  const [out, errors] = await outputs
  return { code, stdout: out, stderr: errors }
}

/** Arguments of `posthorn` in a line of a shell, and the file of its standard input. */
function parseLine(line: string): { args: string[]; input: string | undefined } {
  const [, ...words] = [...line.matchAll(/"([^"]*)"|'([^']*)'|([^\s"']+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  )
  const isRedirection = (word: string | undefined) => word === '<' || word === '>'
  const input = words.indexOf('<')
  return {
    args: words.filter((word, at) => !isRedirection(word) && !isRedirection(words[at - 1])),
    input: input < 0 ? undefined : words[input + 1],
  }
}
