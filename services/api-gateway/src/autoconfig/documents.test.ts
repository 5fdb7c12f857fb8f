import { expect, test } from '@jest/globals'
import { autodiscoverRequest, readAutodiscover, readClientConfig } from './documents.ts'
import { providerOfDomain, providerOfExchanger } from './providers.ts'
import { parseXml } from './xml.ts'

const address = { email: 'ann@mail.example', local: 'ann', domain: 'mail.example' }

const incoming = (type: string, socket: string, at: string) =>
  `<incomingServer type="${type}"><hostname>${at.split(' ')[0]}</hostname><port>${at.split(' ')[1] ?? 993}</port><socketType>${socket}</socketType><username>%EMAILLOCALPART%</username></incomingServer>`
const outgoing = (socket: string, port: number) =>
  `<outgoingServer type="smtp"><hostname>smtp.%EMAILDOMAIN%</hostname><port>${port}</port><socketType>${socket}</socketType></outgoingServer>`
const config = (...servers: string[]) =>
  `<?xml version="1.0"?><clientConfig version="1.1"><emailProvider id="x">${servers.join('')}</emailProvider></clientConfig>`

test('readClientConfig: several servers, returns the safest with the placeholders replaced', () => {
  const text = config(
    incoming('pop3', 'SSL', 'pop.mail.example 995'),
    incoming('imap', 'plain', 'plain.mail.example 143'),
    incoming('imap', 'STARTTLS', 'start.mail.example 143'),
    incoming('imap', 'SSL', 'imap.mail.example'),
    outgoing('STARTTLS', 587),
  )
  expect(readClientConfig(text, address)).toEqual({
    imap: { auth: { user: 'ann' }, host: 'imap.mail.example', port: 993, secure: true },
    smtp: {
      auth: { user: 'ann@mail.example' },
      host: 'smtp.mail.example',
      port: 587,
      secure: false,
    },
  })
})

test.each([
  ['not XML', 'not found'],
  ['an HTML page', '<html><body><p>404'],
  ['no servers', config()],
  ['POP only', config(incoming('pop3', 'SSL', 'pop.mail.example'))],
  ['an invalid host', config(incoming('imap', 'SSL', 'evil.example/path'))],
  ['a host with line breaks', config(incoming('imap', 'SSL', 'a.example\r\nb'))],
  ['a host of one label', config(incoming('imap', 'SSL', 'localhost'))],
  ['an invalid port', config(incoming('imap', 'SSL', 'imap.mail.example 99999'))],
  ['an unknown socket type', config(incoming('imap', 'magic', 'imap.mail.example'))],
])('readClientConfig: %s, returns undefined', (_case, text) => {
  expect(readClientConfig(text, address)).toBeUndefined()
})

test('parseXml: malicious documents, returns undefined', () => {
  const laughs = `<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;">]>${config(incoming('imap', 'SSL', '&lol2;.example'))}`
  const file = `<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>${config(incoming('imap', 'SSL', '&f;'))}`
  for (const text of [
    laughs,
    file,
    '<a>'.repeat(5_000),
    `${'<a/>'.repeat(5_000)}`,
    'x'.repeat(100_000),
  ])
    expect(parseXml(text)).toBeUndefined()
  expect(parseXml('<a b="c">d<E>f</E>')?.children).toMatchObject([
    { name: 'a', attributes: { b: 'c' }, text: 'd', children: [{ name: 'e', text: 'f' }] },
  ])
})

const protocol = (type: string, more: string) =>
  `<Protocol><Type>${type}</Type><Server>${type.toLowerCase()}.mail.example</Server>${more}</Protocol>`
const discovered = (...protocols: string[]) =>
  `<Autodiscover xmlns="http://schemas.microsoft.com/exchange/autodiscover/responseschema/2006"><Response><Account>${protocols.join('')}</Account></Response></Autodiscover>`

test('readAutodiscover: returns the IMAP and SMTP servers only', () => {
  const text = discovered(
    protocol('EXCH', '<Port>443</Port>'),
    protocol('IMAP', '<Port>993</Port><LoginName>ann</LoginName><SSL>on</SSL>'),
    protocol('SMTP', '<Port>587</Port><SSL>on</SSL><Encryption>TLS</Encryption>'),
  )
  expect(readAutodiscover(text, address)).toEqual({
    imap: { auth: { user: 'ann' }, host: 'imap.mail.example', port: 993, secure: true },
    smtp: {
      auth: { user: 'ann@mail.example' },
      host: 'smtp.mail.example',
      port: 587,
      secure: false,
    },
  })
  expect(readAutodiscover(discovered(protocol('IMAP', '')), address)?.imap).toMatchObject({
    port: 993,
    secure: true,
  })
  expect(
    readAutodiscover(discovered(protocol('IMAP', '<Port>1143</Port><SSL>off</SSL>')), address)
      ?.imap,
  ).toMatchObject({ secure: false })
  expect(readAutodiscover(discovered(protocol('EXCH', '')), address)).toBeUndefined()
})

test('autodiscoverRequest: an address with markup, escapes it', () => {
  const request = autodiscoverRequest({ ...address, email: '"</EMailAddress>&"@mail.example' })
  expect(request).toContain('<EMailAddress>&#34;&#60;/EMailAddress&#62;&#38;&#34;@mail.example<')
})

test('providerOfDomain, providerOfExchanger: match whole domain labels', () => {
  expect(providerOfDomain('gmail.com')?.name).toBe('Gmail')
  expect(providerOfDomain('mail.example')).toBeUndefined()
  expect(providerOfExchanger('ASPMX.L.GOOGLE.COM.')?.name).toBe('Gmail')
  expect(providerOfExchanger('x.mail.protection.outlook.com')?.name).toBe('Microsoft 365')
  expect(providerOfExchanger('x.olc.protection.outlook.com')?.name).toBe('Outlook.com')
  expect(providerOfExchanger('notgoogle.com')).toBeUndefined()
})
