import { expect, test } from '@jest/globals'
import { readPreview } from './read-preview.ts'

const read = (...lines: string[]) => readPreview(Buffer.from(lines.join('\r\n')).toString('base64'))

test('readPreview: texts of nested parts, without attachments', () => {
  expect(
    read(
      'Subject: Order 4711',
      'Content-Type: multipart/mixed; boundary="out"',
      '',
      'preamble',
      '--out',
      'Content-Type: multipart/alternative;',
      ' boundary=in',
      '',
      '--in',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Gr=C3=BC=C3=9Fe aus=',
      ' Bonn',
      '--in',
      'Content-Type: text/html; charset=utf-8',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from('<p>Grüße</p>').toString('base64'),
      '--in--',
      '--out',
      'Content-Type: text/plain',
      'Content-Disposition: attachment; filename=a.txt',
      '',
      'attached',
      '--out--',
      '',
    ),
  ).toEqual({ subject: 'Order 4711', text: 'Grüße aus Bonn', html: '<p>Grüße</p>' })
})

test('readPreview: a message of one text without headers of MIME', () => {
  expect(read('Subject: Hello', '', 'one', '', 'two')).toEqual({
    subject: 'Hello',
    text: 'one\r\n\r\ntwo',
  })
})

test.each([
  ['=?UTF-8?Q?Gr=C3=BC=C3=9Fe_an_alle?=', 'Grüße an alle'],
  ['=?utf-8?B?R3LDvMOf?=\r\n =?utf-8?B?ZQ==?=', 'Grüße'],
  ['Hello,\r\n world', 'Hello, world'],
  ['Grüße', 'Grüße'],
])('readPreview: the subject %j is %s', (header, subject) => {
  expect(read(`Subject: ${header}`, '', '').subject).toBe(subject)
})

test('readPreview: a script in the HTML stays text', () => {
  const html = '<script>alert(1)</script>'
  expect(read('Content-Type: text/html', '', html)).toEqual({ subject: '', html })
})
