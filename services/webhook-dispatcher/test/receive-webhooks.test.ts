import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { standardSignature } from '../src/attempt/signing.ts'

// Runs the examples of receive-webhooks.md in all installed languages.

const page = readFileSync(
  join(import.meta.dirname, '../../../libs/docs/guides/receive-webhooks.md'),
  'utf8',
)
const dir = mkdtempSync(join(tmpdir(), 'posthorn-receive-webhooks-'))
afterAll(() => rmSync(dir, { recursive: true }))

interface Language {
  name: string
  mark: string
  file: string
  run: string[]
  /**
   * Program that calls the function with five arguments at a time and prints the results. The last
   * argument is the body in base64. One process runs all cases: some runtimes take seconds to
   * start.
   */
  driver: string
}

const languages: Language[] = [
  {
    name: 'JavaScript',
    mark: 'js',
    file: 'verify.mjs',
    run: [process.execPath],
    driver: `
const args = process.argv.slice(2)
while (args.length > 0) {
  const [id, timestamp, signature, secret, body] = args.splice(0, 5)
  console.log(verify({ id, timestamp, signature, secret, body: Buffer.from(body, 'base64') }))
}`,
  },
  {
    name: 'Python',
    mark: 'python',
    file: 'verify.py',
    run: ['python3'],
    driver: `
import sys
args = sys.argv[1:]
for at in range(0, len(args), 5):
    id, timestamp, signature, secret, body = args[at : at + 5]
    print(str(verify(id, timestamp, signature, base64.b64decode(body), secret)).lower())`,
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
	for args := os.Args[1:]; len(args) > 0; args = args[5:] {
		body, _ := base64.StdEncoding.DecodeString(args[4])
		fmt.Println(verify(args[0], args[1], args[2], body, args[3]))
	}
}`,
  },
  {
    name: 'PHP',
    mark: 'php',
    file: 'verify.php',
    run: ['php'],
    driver: `
foreach (array_chunk(array_slice($argv, 1), 5) as [$id, $timestamp, $signature, $secret, $body]) {
    echo verify($id, $timestamp, $signature, base64_decode($body), $secret) ? 'true' : 'false', "\\n";
}`,
  },
]

function sourceOf({ name, mark, driver }: Language): string {
  const [, code = ''] =
    new RegExp(`## ${name}\\n[^]*?\`\`\`${mark}\\n([^]*?)\`\`\``).exec(page) ?? []
  if (mark === 'go') return code.replace('import (', 'import (\n"fmt"\n"os"') + driver
  if (mark !== 'java') return code + driver
  return code.replace(
    'class Webhooks {',
    `class Webhooks {
    public static void main(String[] args) throws Exception {
        for (int at = 0; at < args.length; at += 5)
            System.out.println(verify(args[at], args[at + 1], args[at + 2], Base64.getDecoder().decode(args[at + 4]), args[at + 3]));
    }`,
  )
}

const isInstalled = ({ run: [command = ''] }: Language) =>
  spawnSync(command, ['--version']).error === undefined

const body = JSON.stringify({ event: 'messageNew', text: 'zażółć ✓ 💣' })
const now = Math.floor(Date.now() / 1000)
const signed = (timestamp: number, ...secrets: string[]) => ({
  timestamp: String(timestamp),
  signature: standardSignature({ id: 'event-1', timestamp, body }, secrets),
})
const cases: [string, { timestamp: string; signature: string }, string, boolean][] = [
  ['valid signature', signed(now, 'the clé'), body, true],
  ['one of two keys', signed(now, 'a new one', 'the clé'), body, true],
  ['other bytes', signed(now, 'the clé'), `${body} `, false],
  ['another key', signed(now, 'another'), body, false],
  ['too old', signed(now - 600, 'the clé'), body, false],
  ['nonsense', { timestamp: 'soon', signature: 'v1,' }, body, false],
]

test('receive-webhooks.md: has examples in five languages', () => {
  for (const language of languages) expect(sourceOf(language)).toContain('verify')
})

for (const language of languages) {
  const verify = isInstalled(language) ? test : test.skip
  verify(`receive-webhooks.md: the ${language.name} example accepts valid signatures only`, () => {
    const file = join(dir, language.file)
    writeFileSync(file, sourceOf(language))
    const [command = '', ...before] = language.run
    const args = cases.flatMap(([, { timestamp, signature }, input]) => [
      'event-1',
      timestamp,
      signature,
      'the clé',
      Buffer.from(input).toString('base64'),
    ])
    const results = execFileSync(command, [...before, file, ...args], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    })
      .trim()
      .split('\n')
    expect(cases.map(([name], index) => [name, results[index]])).toEqual(
      cases.map(([name, , , expected]) => [name, String(expected)]),
    )
  })
}
