import { expect, test } from '@jest/globals'
import { slowTexts } from '@posthorn/testkit'
import { readSegment } from './client/parser.ts'
import { decodeResponse, mechanisms } from '@posthorn/mail-frontend'

test.each<[string, (text: string) => unknown]>([
  ['readSegment', readSegment],
  ['decodeResponse', decodeResponse],
  ['PLAIN', (text) => mechanisms.get('PLAIN')?.(text)],
  ['OAUTHBEARER', (text) => mechanisms.get('OAUTHBEARER')?.(`n,a=me,\x01${text}\x01\x01`)],
  ['XOAUTH2', (text) => mechanisms.get('XOAUTH2')?.(`user=me\x01${text}\x01\x01`)],
])('%s: 1 MB of hostile text, takes linear CPU time', (_name, read) => {
  expect(slowTexts(read)).toEqual([])
})
