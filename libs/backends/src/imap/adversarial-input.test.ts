import { expect, test } from '@jest/globals'
import { slowTexts } from '@posthorn/testkit'
import { parseSequenceSet } from '../uid-ranges.ts'
import { rejectsCredentials } from './connection/login-response.ts'
import { clean } from './text.ts'
import { Transcript } from './connection/transcript.ts'

const transcript = new Transcript(() => undefined, { user: 'me', pass: 'secret' })

test.each<[string, (text: string) => unknown]>([
  ['parseSequenceSet', parseSequenceSet],
  ['rejectsCredentials', (text) => rejectsCredentials({ text })],
  ['clean', clean],
  ['Transcript.write of the server', (msg) => transcript.write({ src: 's', msg })],
  ['Transcript.write of the client', (msg) => transcript.write({ src: 'c', msg })],
])('%s: 1 MB of hostile text, takes linear CPU time', (_name, read) => {
  expect(slowTexts(read)).toEqual([])
})
