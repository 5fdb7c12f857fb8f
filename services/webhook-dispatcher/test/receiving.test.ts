import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { standardSignature } from '../src/delivery/signature.ts'

// What the page for receivers says is run, in every language that this machine has.

const page = readFileSync(join(import.meta.dirname, '../receiving.md'), 'utf8')
const dir = mkdtempSync(join(tmpdir(), 'posthorn-receiving-'))
afterAll(() => rmSync(dir, { recursive: true }))

interface Language {
  name: string
  mark: string
  file: string
  run: string[]
  /** Calls the function with four arguments and the bytes of stdin, and prints what it says. */
  driver: string
}

const languages: Language[] = [
  {
    name: 'JavaScript',
    mark: 'js',
    file: 'verify.mjs',
    run: [process.execPath],
    driver: `
import { readFileSync } from 'node:fs'
const [id, timestamp, signature, secret] = process.argv.slice(2)
console.log(verify({ id, timestamp, signature, secret, body: readFileSync(0) }))`,
  },
  {
    name: 'Python',
    mark: 'python',
    file: 'verify.py',
    run: ['python3'],
    driver: `
import sys
id, timestamp, signature, secret = sys.argv[1:]
print(str(verify(id, timestamp, signature, sys.stdin.buffer.read(), secret)).lower())`,
  },
  {
    name: 'Java',
    mark: 'java',
    file: 'Webhooks.java',
    run: ['java'],
    driver: '',
  },
  {
    name: 'Go',
    mark: 'go',
    file: 'verify.go',
    run: ['go', 'run'],
    driver: `
func main() {
	body, _ := io.ReadAll(os.Stdin)
	fmt.Println(verify(os.Args[1], os.Args[2], os.Args[3], body, os.Args[4]))
}`,
  },
  {
    name: 'PHP',
    mark: 'php',
    file: 'verify.php',
    run: ['php'],
    driver: `
[, $id, $timestamp, $signature, $secret] = $argv;
echo verify($id, $timestamp, $signature, file_get_contents('php://stdin'), $secret) ? 'true' : 'false', "\\n";`,
  },
]

function sourceOf({ name, mark, driver }: Language): string {
  const [, code = ''] =
    new RegExp(`## ${name}\\n[^]*?\`\`\`${mark}\\n([^]*?)\`\`\``).exec(page) ?? []
  if (mark === 'go') return code.replace('import (', 'import (\n"fmt"\n"io"\n"os"') + driver
  if (mark !== 'java') return code + driver
  return code.replace(
    'class Webhooks {',
    `class Webhooks {
    public static void main(String[] args) throws Exception {
        System.out.println(verify(args[0], args[1], args[2], System.in.readAllBytes(), args[3]));
    }`,
  )
}

const isHere = ({ run: [command = ''] }: Language) =>
  spawnSync(command, ['--version']).error === undefined

const body = JSON.stringify({ event: 'messageNew', text: 'zażółć ✓ 💣' })
const now = Math.floor(Date.now() / 1000)
const signed = (timestamp: number, ...secrets: string[]) => ({
  timestamp: String(timestamp),
  signature: standardSignature({ id: 'event-1', timestamp, body }, secrets),
})
const cases: [string, { timestamp: string; signature: string }, string, boolean][] = [
  ['as it was signed', signed(now, 'the clé'), body, true],
  ['one of two keys', signed(now, 'a new one', 'the clé'), body, true],
  ['other bytes', signed(now, 'the clé'), `${body} `, false],
  ['another key', signed(now, 'another'), body, false],
  ['too old', signed(now - 600, 'the clé'), body, false],
  ['nonsense', { timestamp: 'soon', signature: 'v1,' }, body, false],
]

test('the page has five languages', () => {
  for (const language of languages) expect(sourceOf(language)).toContain('verify')
})

for (const language of languages) {
  const verify = isHere(language) ? test : test.skip
  verify(
    `${language.name} verifies what is right and nothing else`,
    () => {
      const file = join(dir, language.file)
      writeFileSync(file, sourceOf(language))
      const [command = '', ...before] = language.run
      const said = cases.map(([name, { timestamp, signature }, input]) => {
        const args = [...before, file, 'event-1', timestamp, signature, 'the clé']
        return [
          name,
          execFileSync(command, args, {
            input,
            encoding: 'utf8',
            env: { ...process.env, LC_ALL: 'C.UTF-8' },
          }).trim(),
        ]
      })
      expect(said).toEqual(cases.map(([name, , , expected]) => [name, String(expected)]))
    },
    120_000,
  )
}
