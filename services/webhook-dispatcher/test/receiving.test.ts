import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { standardSignature } from '../src/attempt/signing.ts'

// What the page for receivers says is run, in every language that this machine has.

const page = readFileSync(join(import.meta.dirname, '../receiving.md'), 'utf8')
const dir = mkdtempSync(join(tmpdir(), 'posthorn-receiving-'))
afterAll(() => rmSync(dir, { recursive: true }))

interface Language {
  name: string
  mark: string
  file: string
  run: string[]
  /** Calls the function with each five arguments, the last of which is the body in base64, and prints what it says. One process for all: some take seconds to start. */
  driver: string
}

const languages: Language[] = [
  {
    name: 'JavaScript',
    mark: 'js',
    file: 'verify.mjs',
    run: [process.execPath],
    driver: `
const given = process.argv.slice(2)
while (given.length > 0) {
  const [id, timestamp, signature, secret, body] = given.splice(0, 5)
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
given = sys.argv[1:]
for at in range(0, len(given), 5):
    id, timestamp, signature, secret, body = given[at : at + 5]
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
	for given := os.Args[1:]; len(given) > 0; given = given[5:] {
		body, _ := base64.StdEncoding.DecodeString(given[4])
		fmt.Println(verify(given[0], given[1], given[2], body, given[3]))
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
  verify(`${language.name} verifies what is right and nothing else`, () => {
    const file = join(dir, language.file)
    writeFileSync(file, sourceOf(language))
    const [command = '', ...before] = language.run
    const given = cases.flatMap(([, { timestamp, signature }, input]) => [
      'event-1',
      timestamp,
      signature,
      'the clé',
      Buffer.from(input).toString('base64'),
    ])
    const said = execFileSync(command, [...before, file, ...given], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    })
      .trim()
      .split('\n')
    expect(cases.map(([name], index) => [name, said[index]])).toEqual(
      cases.map(([name, , , expected]) => [name, String(expected)]),
    )
  })
}
