import { createHash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { contentPolicy } from './content-policy.ts'
import { deadLinks } from './dead-links.ts'
import { readHtmlPage } from './html-page.ts'
import { llmsTxt } from './llms-txt.ts'
import { parsePage, plainMarkdown, urlPathOf } from './page.ts'
import { nameRepositoryFiles, rewriteLinks } from './rewrite-links.ts'
import { sideBar } from './side-bar.ts'

const source = (title: string, order: number, body = 'Text.\n') =>
  `---\ntitle: ${title}\ndescription: About it.\norder: ${order}\n---\n\n${body}`
const page = (path: string, order: number) => parsePage(path, source(path, order))

test('parsePage: reads front matter, and drops a heading that repeats the title', () => {
  const read = parsePage('guides/send.md', source('Send', 40, '# Send\n\nText.\n\n# Limits\n'))
  expect(read).toMatchObject({ title: 'Send', description: 'About it.', order: 40 })
  expect(plainMarkdown(read)).toBe('# Send\n\nAbout it.\n\nText.\n\n# Limits\n')
})

test.each(['# Send\n', '---\ntitle: Send\norder: 1\n---\n', source('Send', 1).replace('1', 'one')])(
  'parsePage: of incomplete front matter (%j), throws',
  (text) => {
    expect(() => parsePage('guides/send.md', text)).toThrow(
      'guides/send.md: the front matter needs title, description and order',
    )
  },
)

test('urlPathOf: pages are folders, an index is the folder itself', () => {
  expect(['guides/send.md', 'index.md', 'guides/index.md'].map(urlPathOf)).toEqual([
    'guides/send/',
    '',
    'guides/',
  ])
})

test('rewriteLinks: replaces links to pages outside of code', () => {
  const markdown = [
    'See [sending\nmail](send.md#limits), [events](../reference/events.md) and',
    '[the runbook](../../../deploy/runbook.md), [a site](https://example.com/a.md).',
    '```md',
    '[kept](send.md)',
    '```',
    '[last](send.md)',
  ].join('\n')
  const rewritten = rewriteLinks(markdown, 'guides/read.md', '/docs/')
  expect(rewritten.split('\n')).toEqual([
    'See [sending',
    'mail](/docs/guides/send/#limits), [events](/docs/reference/events/) and',
    '[the runbook](../../../deploy/runbook.md), [a site](https://example.com/a.md).',
    '```md',
    '[kept](send.md)',
    '```',
    '[last](/docs/guides/send/)',
  ])
})

test('nameRepositoryFiles: replaces links to files outside of the site by their names', () => {
  const markdown =
    'The [runbook](../../../deploy/runbook.md#x), [`k8s/README.md`](../../../k8s/README.md), [send](send.md).'
  expect(nameRepositoryFiles(markdown, 'guides/read.md', 'libs/docs')).toBe(
    'The runbook (`deploy/runbook.md`), `k8s/README.md`, [send](send.md).',
  )
})

test('sideBar: groups by folder, sorted by order', () => {
  const pages = [
    page('reference/operations/mail.md', 2),
    page('reference/events.md', 1),
    page('guides/send.md', 20),
    page('guides/start.md', 10),
  ]
  expect(sideBar(pages)).toEqual([
    {
      label: 'Guides',
      collapsed: false,
      items: [{ slug: 'guides/start' }, { slug: 'guides/send' }],
    },
    {
      label: 'Reference',
      collapsed: false,
      items: [
        { slug: 'reference/events' },
        { label: 'Operations', collapsed: true, items: [{ slug: 'reference/operations/mail' }] },
      ],
    },
  ])
})

test('llmsTxt: lists the Markdown file of each page', () => {
  const text = llmsTxt(
    page('index.md', 0),
    [page('guides/b.md', 2), page('guides/a.md', 1)],
    '/docs/',
  )
  expect(text).toMatch(/^# index.md\n\n> About it.\n\n## guides\n\n/)
  expect(text).toContain(
    '- [guides/a.md](/docs/guides/a.md): About it.\n- [guides/b.md](/docs/guides/b.md): About it.\n',
  )
  expect(text).toContain('(/openapi.json)')
})

test('deadLinks: reports absent files, anchors and paths outside of the site', () => {
  const html = (body: string) => readHtmlPage(`<html id="top"><body>${body}</body></html>`)
  const links = [
    '#top',
    '#absent',
    '/docs/a/',
    '../a/#top',
    '/docs/a/#absent',
    '/docs/b/',
    'picture.png',
    '/docs/style.css',
    '/openapi.json',
    '/v1/',
    'https://example.com/x',
    'mailto:a@b.example',
  ]
  const pages = new Map([
    ['a/index.html', html('')],
    ['c/index.html', html(links.map((link) => `<a href="${link}">x</a>`).join(''))],
  ])
  const files = new Set([...pages.keys(), 'style.css'])
  expect(deadLinks({ pages, files }, '/docs/', ['/openapi.json'])).toEqual(
    ['#absent', '/docs/a/#absent', '/docs/b/', 'picture.png', '/v1/'].map(
      (link) => `c/index.html → ${link}`,
    ),
  )
})

test('contentPolicy: lists the hashes of inline scripts, each once', () => {
  const script = `if (a < b && c) run('<p>')`
  const hash = createHash('sha256').update(script).digest('base64')
  const html = `<script>${script}</script><script src="x.js"></script><p style="color: red">`
  const policy = contentPolicy(
    new Map([
      ['a.html', readHtmlPage(html)],
      ['b.html', readHtmlPage(html)],
    ]),
  )
  expect(policy.split('; ')[1]).toBe(`script-src 'self' 'wasm-unsafe-eval' 'sha256-${hash}'`)
  expect(policy).not.toMatch(/'unsafe-eval'|script-src[^;]*'unsafe-inline'|style-src 'unsafe/)
})

test.each(['<style>a {}</style>', '<p onclick="run()">x</p>'])(
  'contentPolicy: of %s, which the policy would block, throws',
  (html) => {
    expect(() => contentPolicy(new Map([['a.html', readHtmlPage(html)]]))).toThrow('a.html: remove')
  },
)
