import { expect, test } from '@jest/globals'
import { slowTexts } from '@posthorn/testkit'
import { controlReader } from './control-headers.ts'
import { toDsnRequest } from './dsn.ts'

const controls =
  'x-svc-send-at x-svc-gateway x-svc-idempotency-key x-svc-copy x-svc-sent-mail-path'.split(' ')
const { read: readControls } = controlReader()

test.each<[string, (text: string) => unknown]>([
  ...controls.map((name): [string, (text: string) => unknown] => [
    name,
    (text) => readControls([[name, text]]),
  ]),
  [
    'toDsnRequest',
    (text) =>
      toDsnRequest({
        dsn: { ret: 'FULL', envid: text },
        rcptTo: [{ address: 'a@b.c', args: {}, dsn: { notify: ['NEVER'], orcpt: text } }],
      } as never),
  ],
])('%s: 1 MB of hostile text, takes linear CPU time', (_name, read) => {
  expect(slowTexts(read)).toEqual([])
})
