import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { reportSkip } from '@posthorn/testkit/required-tests'
import { examplesOf } from './examples.ts'
import { PseudoTerminal } from './pseudo-terminal.ts'
import { runPosthorn } from './run-posthorn.ts'

const cwd = await mkdtemp(join(tmpdir(), 'posthorn-cli-'))
afterAll(() => rm(cwd, { recursive: true }))
const run = (line: string) => runPosthorn(line, { cwd })

test.each(examplesOf('completion'))('$line', async ({ line }) => {
  expect(await run(line)).toMatchObject({ code: 0, stderr: '' })
})

test('completion: another shell is a usage error', async () => {
  expect(await run('posthorn completion fish')).toMatchObject({ code: 2 })
})

describe('bash', () => {
  beforeAll(async () => void (await run('posthorn completion bash > posthorn.bash')))

  test.each([
    ['posthorn web', 'webhooks'],
    ['posthorn acc', 'accounts'],
    ['posthorn mig', 'migrate'],
    ['posthorn webhooks re', 'retry replay'],
    ['posthorn --json webhooks l', 'listen'],
    ['posthorn --url webhooks rou', 'routes'],
    ['posthorn webhooks failed --st', '--state'],
    ['posthorn webhooks failed --state de', 'delivered'],
    ['posthorn routes delete --y', '--yes'],
    ['posthorn tokens create --to', '--token-file'],
    ['posthorn settings nonsense', ''],
  ])('%s: %s', async (line, expected) => {
    const script =
      'source posthorn.bash; COMP_WORDS=($1); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _posthorn; echo "${COMPREPLY[*]}"'
    const { stdout } = await promisify(execFile)('bash', ['-c', script, 'bash', line], { cwd })
    expect(stdout.trim().split(' ').sort()).toEqual(expected.split(' ').sort())
  })

  test('a tab completes in a terminal', async () => {
    await using terminal = new PseudoTerminal('bash --norc --noprofile -i', { cwd })
    terminal.write("PS1='ready> '; source posthorn.bash\n")
    await terminal.printed('ready> ')
    terminal.write('posthorn webhooks lis\t')
    await terminal.printed('webhooks listen')
  })
})

// The shell zsh is a package of the operating system, which may be missing.
const hasZsh = existsSync('/bin/zsh') || existsSync('/usr/bin/zsh')
if (!hasZsh) reportSkip('zsh', 'the shell is not installed')
;(hasZsh ? describe : describe.skip)('zsh', () => {
  beforeAll(async () => void (await run('posthorn completion zsh > _posthorn')))

  test.each([
    'autoload -Uz compinit; fpath=($PWD $fpath); compinit -u -D',
    'autoload -Uz compinit; compinit -u -D; source ./_posthorn',
  ])('a tab completes in a terminal: %s', async (setup) => {
    await using terminal = new PseudoTerminal('zsh -f -i', { cwd })
    terminal.write(`PS1='ready> '; ${setup}; echo loa''ded\n`)
    await terminal.printed('loaded')
    terminal.write('posthorn webhooks lis\t')
    await terminal.printed('webhooks listen')
    terminal.write('\u0015posthorn webhooks failed --state del\t')
    await terminal.printed('--state delivered')
    terminal.write('\u0015posthorn rou\t')
    await terminal.printed('posthorn routes')
  })
})
