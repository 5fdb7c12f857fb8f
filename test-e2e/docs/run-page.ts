import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Example, findDifference } from '@posthorn/docs/examples'
import { checkout } from '@posthorn/local/paths'

export interface PageRun {
  /** Working folder of the guide page, which must not exist yet. */
  dir: string
  /** Environment variables that the examples of the page may use. */
  variables: Readonly<Record<string, string>>
  timeoutMs: number
}

/** Example of a guide page that failed, with its output. */
export interface ExampleFailure {
  line: number
  problem: string
  expected?: string
  got: string
}

/**
 * Runs the examples of a guide page, one after the other in one bash, until an example fails or the
 * page takes too long. Examples in other languages run as files, with the exported variables of
 * earlier examples. Background processes end with the page.
 */
export async function runPage(
  examples: readonly Example[],
  run: PageRun,
): Promise<ExampleFailure | undefined> {
  await prepareFolder(examples, run.dir)
  const { code, timedOut } = await runScript(run)
  const reached = Number(await readOutput(run.dir, 'reached'))
  for (const [index, example] of examples.entries()) {
    const output = await readOutput(run.dir, `${index}.out`)
    const got = async () => `${output}${await readOutput(run.dir, `${index}.err`)}`
    if (index > reached || (code !== 0 && index === reached))
      return { line: example.line, problem: problemOf(code, timedOut), got: await got() }
    const { expected } = example
    const difference = expected && findDifference(expected, output)
    if (expected && difference !== undefined)
      return {
        line: expected.line,
        problem: difference,
        expected: expected.text,
        got: await got(),
      }
  }
  return undefined
}

function problemOf(code: number | null, timedOut: boolean): string {
  return timedOut ? 'the page takes too long' : `the block ended with ${code}`
}

/**
 * Folder for scripts and outputs of a guide page's examples, below the working folder of the page.
 */
const ownFolder = '.examples'

/** Creates the working folder of a guide page, in which TypeScript finds the client library. */
async function prepareFolder(examples: readonly Example[], dir: string): Promise<void> {
  await mkdir(join(dir, ownFolder), { recursive: true })
  await mkdir(join(dir, 'node_modules/@posthorn'), { recursive: true })
  await symlink(join(checkout, 'libs/client'), join(dir, 'node_modules/@posthorn/client'))
  await writeFile(join(dir, 'package.json'), '{"type": "module"}')
  const parts = examples.map(({ language, code }, index) => ({ language, code, index }))
  for (const { language, code, index } of parts.filter(({ language: name }) => name !== 'sh'))
    await writeFile(join(dir, `example-${index}.${language}`), code)
  const blocks = parts.map(({ language, code, index }) =>
    [
      `exec > ${ownFolder}/${index}.out 2> ${ownFolder}/${index}.err`,
      `echo ${index} > ${ownFolder}/reached`,
      language === 'sh' ? code : `${interpreters[language]} example-${index}.${language}`,
    ].join('\n'),
  )
  await writeFile(join(dir, ownFolder, 'page.sh'), `set -euo pipefail\n${blocks.join('\n')}\n`)
}

const interpreters = { ts: 'node', py: 'python3' } as const

async function runScript({ dir, variables, timeoutMs }: PageRun) {
  const script = spawn('bash', [`${ownFolder}/page.sh`], {
    cwd: dir,
    env: { PATH: pathWithNode(), HOME: dir, LANG: 'C.UTF-8', ...variables },
    stdio: 'ignore',
    detached: true, // leads a process group, with which background processes end
  })
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    endGroup(script)
  }, timeoutMs)
  const [code] = (await once(script, 'exit')) as [number | null]
  clearTimeout(timer)
  endGroup(script)
  return { code, timedOut }
}

/**
 * Search path of programs for the examples of guide pages: Node, and the programs of the workspace,
 * such as `posthorn`.
 */
function pathWithNode(): string {
  const programs = join(import.meta.dirname, '../../node_modules/.bin')
  const path = process.env['PATH'] ?? '/usr/bin:/bin'
  return [dirname(process.execPath), programs, path].join(':')
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The process group of the examples has ended already.
  }
}

function readOutput(dir: string, name: string): Promise<string> {
  return readFile(join(dir, ownFolder, name), 'utf8').catch(() => '')
}
