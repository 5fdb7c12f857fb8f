import { expect, test } from '@jest/globals'
import { type FilingInput, isFiledByServer, planFiling } from './sent-copy.ts'

const at = (host: string) => ({ host, port: 993 })
const own: FilingInput = {
  filing: null,
  gateway: null,
  imap: at('imap.example.com'),
  smtp: at('smtp.example.com'),
  copy: null,
}
const gmail = { imap: at('imap.gmail.com'), smtp: at('smtp.gmail.com') }
const outlook = { imap: at('Outlook.Office365.com'), smtp: at('smtp.office365.com.') }
const disabled = { disabled: true as const }

interface Case {
  name: string
  given: Partial<FilingInput>
  copy: boolean
}
const cases: Case[] = [
  { name: 'nobody says anything', given: {}, copy: true },
  { name: 'the account wants none', given: { copy: false }, copy: false },
  { name: 'the account wants one', given: { copy: true }, copy: true },
  {
    name: 'the message wants one, the account none',
    given: { copy: false, filing: { copy: true } },
    copy: true,
  },
  {
    name: 'the message wants none, the account one',
    given: { copy: true, filing: { copy: false } },
    copy: false,
  },
  { name: 'Gmail files it', given: gmail, copy: false },
  { name: 'Outlook files it', given: outlook, copy: false },
  {
    name: 'a gateway was used, of which Gmail does not know',
    given: { ...gmail, gateway: 'g' },
    copy: true,
  },
  {
    name: 'another server was used, of which Gmail does not know',
    given: { ...gmail, smtp: at('smtp.example.com') },
    copy: true,
  },
  { name: 'Gmail files it, the account wants one', given: { ...gmail, copy: true }, copy: true },
  {
    name: 'Gmail files it, the message wants one',
    given: { ...gmail, filing: { copy: true } },
    copy: true,
  },
  {
    name: 'a gateway was used, the account wants none',
    given: { gateway: 'g', copy: false },
    copy: false,
  },
  { name: 'a host only ends like Gmail’s', given: { imap: at('imap.notgmail.com') }, copy: true },
  { name: 'there is no mailbox', given: { imap: null, filing: { copy: true } }, copy: false },
  { name: 'the mailbox is disabled', given: { imap: disabled, copy: true }, copy: false },
]
test.each(cases)('a copy: $name', ({ given, copy }) => {
  expect(planFiling({ ...own, ...given })?.copy ?? false).toBe(copy)
})

test('without a copy there is something to do for the message referred to and for the draft', () => {
  const reference = { message: 'm', action: 'reply' as const }
  expect(planFiling({ ...own, copy: false, filing: { reference } })).toEqual({
    copy: false,
    reference,
  })
  expect(planFiling({ ...own, ...gmail, filing: { draft: 'd' } })).toEqual({
    copy: false,
    draft: 'd',
  })
  expect(planFiling({ ...own, copy: false, filing: { sentMailPath: 'x' } })).toBeNull()
  expect(planFiling({ ...own, imap: null, filing: { reference } })).toBeNull()
})

test('what a server files itself can be looked for there', () => {
  const of = (given: Partial<FilingInput>) => isFiledByServer({ ...own, ...given })
  expect([of({}), of(gmail), of(outlook), of({ copy: false })]).toEqual([false, true, true, true])
  expect(of({ ...gmail, gateway: 'g' })).toBe(false)
  expect(of({ copy: false, imap: disabled })).toBe(false)
})
