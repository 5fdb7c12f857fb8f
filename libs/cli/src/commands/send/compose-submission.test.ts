import { Readable } from 'node:stream'
import { expect, test } from '@jest/globals'
import { composeSubmission, parseAddress } from './compose-submission.ts'

test.each([
  ['ben@example.com', { address: 'ben@example.com' }],
  [' Ben Ash <ben@example.com> ', { name: 'Ben Ash', address: 'ben@example.com' }],
  ['"Ash, \\"Ben\\"" <ben@example.com>', { name: 'Ash, "Ben"', address: 'ben@example.com' }],
  ['<ben@example.com>', { address: 'ben@example.com' }],
])('parseAddress: %s', (text, address) => {
  expect(parseAddress(text)).toEqual(address)
})

test('composeSubmission: a text from standard input, members without options are absent', async () => {
  const stdin = Readable.from(['It is ', 'on its way.'])
  const body = await composeSubmission({ to: ['ben@example.com'], textFile: '-' }, stdin)
  expect(body).toEqual({ to: [{ address: 'ben@example.com' }], text: 'It is on its way.' })
})

test('composeSubmission: two files from standard input are a wrong argument', async () => {
  const options = { to: ['ben@example.com'], textFile: '-', htmlFile: '-' }
  await expect(composeSubmission(options, Readable.from([]))).rejects.toMatchObject({ exitCode: 2 })
})
