import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { standardSignature } from '../src/attempt/signing.ts'

// Tests that run the functions of the guides that verify webhook signatures, in all installed
// languages.

const guides = join(import.meta.dirname, '../../../libs/docs/guides')
const guide = (name: string) => readFileSync(join(guides, name), 'utf8')
const page = guide('receive-webhooks.md')
const dir = mkdtempSync(join(tmpdir(), 'posthorn-receive-webhooks-'))
afterAll(() => rmSync(dir, { recursive: true }))

interface Language {
  name: string
  file: string
  run: string[]
  /**
   * Function in the guide that verifies a webhook signature, or the whole code block with the
   * function.
   */
  example: string
  /**
   * Program with the example of the guide. The program calls the function with five arguments at a
   * time and prints the results. The last argument is the body in base64. One process runs all
   * cases: some runtimes take seconds to start.
   */
  program: (example: string) => string
}

const match = (pattern: RegExp, text: string) => pattern.exec(text)?.[0] ?? ''
const codeBlock = (heading: string, mark: string) =>
  new RegExp(`(?<=## ${heading}\\n[^]*?\`\`\`${mark}\\n)[^]*?(?=\`\`\`)`).exec(page)?.[0] ?? ''

const languages: Language[] = [
  {
    name: 'JavaScript',
    file: 'verify.mjs',
    run: [process.execPath],
    example: match(/^function isSigned[^]*?\n}\n/m, guide('first-mailbox.md')),
    program: (example) => `
import { createHmac, timingSafeEqual } from 'node:crypto'
let secret
${example}
const args = process.argv.slice(2)
while (args.length > 0) {
  const [id, timestamp, signature, key, body] = args.splice(0, 5)
  secret = key
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
  console.log(isSigned({ headers }, Buffer.from(body, 'base64')))
}`,
  },
  {
    name: 'Python',
    file: 'verify.py',
    run: ['python3'],
    example: match(/^def is_signed[^]*?\n\n\n/m, page),
    program: (example) => `
import base64, hashlib, hmac, sys, time
${example}
args = sys.argv[1:]
for at in range(0, len(args), 5):
    id, timestamp, signature, key, body = args[at : at + 5]
    SECRET = key.encode()
    headers = {"webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature}
    print(str(is_signed(headers, base64.b64decode(body))).lower())`,
  },
  {
    name: 'Java',
    file: 'Webhooks.java',
    run: ['java'],
    example: codeBlock('Java', 'java'),
    program: (example) =>
      example.replace(
        'class Webhooks {',
        `class Webhooks {
    public static void main(String[] args) throws Exception {
        for (int at = 0; at < args.length; at += 5)
            System.out.println(verify(args[at], args[at + 1], args[at + 2], Base64.getDecoder().decode(args[at + 4]), args[at + 3]));
    }`,
      ),
  },
  {
    name: 'Go',
    file: 'verify.go',
    run: ['go', 'run'],
    example: codeBlock('Go', 'go'),
    program: (example) => `${example.replace('import (', 'import (\n"fmt"\n"os"')}
func main() {
	for args := os.Args[1:]; len(args) > 0; args = args[5:] {
		body, _ := base64.StdEncoding.DecodeString(args[4])
		fmt.Println(verify(args[0], args[1], args[2], body, args[3]))
	}
}`,
  },
  {
    name: 'PHP',
    file: 'verify.php',
    run: ['php'],
    example: codeBlock('PHP', 'php'),
    program: (example) => `${example}
foreach (array_chunk(array_slice($argv, 1), 5) as [$id, $timestamp, $signature, $secret, $body]) {
    echo verify($id, $timestamp, $signature, base64_decode($body), $secret) ? 'true' : 'false', "\\n";
}`,
  },
]

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

test('guides: have examples in five languages', () => {
  for (const { example } of languages) expect(example).toMatch(/verify|is_?signed/i)
})

for (const language of languages) {
  const verify = isInstalled(language) ? test : test.skip
  verify(`guides: the ${language.name} example accepts valid signatures only`, () => {
    const file = join(dir, language.file)
    writeFileSync(file, language.program(language.example))
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
