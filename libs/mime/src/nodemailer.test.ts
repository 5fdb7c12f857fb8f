import { expect, test } from '@jest/globals'
import { encodeWord, MailComposer, parseAddresses } from './nodemailer.ts'

const hint = 'nodemailer changed a sub-module used by libs/mime/src/nodemailer.ts'

function requireFunctions(owner: object, names: readonly string[]): void {
  for (const name of names)
    if (typeof (owner as Record<string, unknown>)[name] !== 'function')
      throw new Error(`${hint}: ${name} is missing`)
}

test('nodemailer sub-modules: have the members that libs/mime uses', async () => {
  requireFunctions({ encodeWord, MailComposer, parseAddresses }, [
    'encodeWord',
    'MailComposer',
    'parseAddresses',
  ])
  const bcc = [{ name: '', address: 'b@x.example' }]
  const root = new MailComposer({ bcc, subject: 'S', text: '' }).compile()
  requireFunctions(root, ['build', 'buildHeaders'])
  if (!('keepBcc' in root)) throw new Error(`${hint}: keepBcc is missing`)
  expect(root.buildHeaders()).toMatch(/^Subject: S\r?$/m)
  expect(String(await root.build())).not.toContain('Bcc:')
  root.keepBcc = true
  expect(String(await root.build())).toMatch(/^Bcc: b@x\.example\r$/m)
  expect(encodeWord('ä', 'B', 52)).toBe('=?UTF-8?B?w6Q=?=')
  expect(parseAddresses('G: A <a@x.example>;, b@x.example', { flatten: true })).toEqual([
    { name: 'A', address: 'a@x.example' },
    { name: '', address: 'b@x.example' },
  ])
})
