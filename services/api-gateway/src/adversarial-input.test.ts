import { expect, test } from '@jest/globals'
import { readLink } from '@posthorn/links'
import { parseProxy, redactProxyUrl } from '@posthorn/net/proxy'
import { redactUrl } from '@posthorn/net/url'
import { slowTexts } from '@posthorn/testkit'
import { readBearerToken } from './access/authenticate.ts'
import { globMatches } from './access/referrers.ts'
import { readAutodiscover, readClientConfig } from './autoconfig/documents.ts'
import { isCrawlerName } from './automated/automated.ts'
import { parsePosition } from './changes/position.ts'
import { isOneClick } from './public/one-click.ts'

/**
 * Maximum lengths in characters: longer XML documents are not parsed, longer form bodies are
 * rejected.
 */
const [maxXml, maxFormBytes] = [64_000, 64_000]
const address = { email: 'a@b.example', local: 'a', domain: 'b.example' }

test.each<[string, (text: string) => unknown]>([
  ['readBearerToken', (text) => readBearerToken({ authorization: `Bearer ${text}` }, undefined)],
  ['globMatches with a hostile text', (text) => globMatches('*a*b*', text)],
  ['globMatches with a hostile pattern', (text) => globMatches(text.slice(0, 1_000), text)],
  ['readClientConfig', (text) => readClientConfig(`<a>${text.slice(0, maxXml)}`, address)],
  ['readAutodiscover', (text) => readAutodiscover(`<a>${text.slice(0, maxXml)}`, address)],
  // The HTTP server rejects requests with headers above 16 KiB with the status 431.
  ['isCrawlerName', (text) => isCrawlerName(text.slice(0, 16_384))],
  ['parsePosition', parsePosition],
  ['isOneClick, form', (text) => isOneClick('text/plain', text.slice(0, maxFormBytes))],
  ['isOneClick, multipart', (text) => isOneClick('multipart/form-data; boundary=--', text)],
  ['isOneClick, type', (text) => isOneClick(`multipart/form-data; boundary=${text}`, text)],
  ['readLink', (text) => readLink([], 'click', { data: text, sig: text })],
  ['parseProxy', parseProxy],
  ['redactProxyUrl', redactProxyUrl],
  ['redactUrl', (text) => redactUrl(`http://${text}`)],
])('%s: 1 MB of hostile text, takes linear CPU time', (_name, read) => {
  expect(slowTexts(read)).toEqual([])
})
