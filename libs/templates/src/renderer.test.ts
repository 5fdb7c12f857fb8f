import { afterAll, expect, test } from '@jest/globals'
import type { AppError } from '@posthorn/errors'
import { type RenderContext, Renderer, type TemplateContent } from './index.ts'

const renderer = new Renderer({ timeoutMs: 5_000, maxOutputBytes: 100_000 })
afterAll(() => renderer[Symbol.asyncDispose]())

const contextOf = (params: Record<string, unknown>, name = 'Acct'): RenderContext => ({
  params,
  account: { name, email: 'acct@mail.example' },
  service: { url: 'https://post.example' },
  rcpt: { name: 'Eva', address: 'eva@mail.example', unsubscribeUrl: 'https://post.example/u?x=1' },
})

function render(content: TemplateContent, params: Record<string, unknown> = {}, account?: string) {
  return renderer.render(content, { format: 'html', context: contextOf(params, account) })
}
const html = async (source: string, params: Record<string, unknown> = {}) =>
  (await render({ html: source }, params)).html
const markdown = async (source: string, params: Record<string, unknown> = {}) => {
  const options = { format: 'markdown', context: contextOf(params) } as const
  return (await renderer.render({ html: source }, options)).html
}

async function rejection(work: Promise<unknown>): Promise<[string, string]> {
  const error = await work.then(
    (value) => new Error(`rendered ${JSON.stringify(value)?.slice(0, 200)}`),
    (error: AppError) => error,
  )
  return ['kind' in error ? error.kind : 'none', error.message]
}

test('Renderer.render: escapes values in html only', async () => {
  const text = '{{params.x}} for {{rcpt.name}} by {{account.name}}'
  const content = { subject: text, text, html: text, previewText: text }
  expect(await render(content, { x: '<b>&"' })).toEqual({
    subject: '<b>&" for Eva by Acct',
    text: '<b>&" for Eva by Acct',
    html: '&lt;b&gt;&amp;&quot; for Eva by Acct',
    previewText: '<b>&" for Eva by Acct',
  })
})

test('Renderer.render: absent texts stay absent, absent values render to nothing', async () => {
  expect(await render({ text: '[{{params.no.such}}{{nothing}}]' })).toEqual({ text: '[]' })
})

test('Renderer.render: supports blocks of the built-in helpers', async () => {
  const source =
    '{{#if params.a}}A{{else}}B{{/if}}{{#each params.list}}{{@index}}{{this}}{{../params.a}};{{/each}}{{#with params.o}}{{k}}{{/with}}{{#unless params.a}}U{{/unless}}{{lookup params.list 1}}{{#params.list}}{{.}}{{/params.list}}'
  expect(await html(source, { a: 1, list: ['x', 'y'], o: { k: 'v' } })).toBe('A0x1;1y1;vyxy')
})

test('Renderer.render: line breaks in values of a subject become spaces', async () => {
  const { subject } = await render({ subject: 'Hi {{params.x}}' }, { x: 'a\r\nBcc: b@c.example' })
  expect(subject).toBe('Hi a Bcc: b@c.example')
})

test('Renderer.render: converts markdown to HTML, values in it stay text', async () => {
  const name = '<i>x</i> **b** [click](https://evil.example) `c` \n# h'
  expect(await markdown('# Hello {{params.name}}', { name: 'World' })).toBe(
    '<h1>Hello World</h1>\n',
  )
  const out = (await markdown('Dear {{params.name}}', { name })) ?? ''
  expect(out).toContain('&lt;i&gt;x&lt;/i&gt; **b** [click](https://evil.example) `c`')
  expect(out).not.toMatch(/<(?:a|i|strong|code|h1)\b/)
})

test('Renderer.render: values in markdown may be link addresses, but not executable ones', async () => {
  const url = 'https://a.example/x_y?b=1&c=(2)'
  expect(await markdown('[go]({{params.url}})', { url })).toBe(
    '<p><a href="https://a.example/x_y?b=1&amp;c=(2)">go</a></p>\n',
  )
  expect(await markdown('[go]({{rcpt.unsubscribeUrl}})')).toContain('https://post.example/u?x=1')
  expect(await markdown('[go]({{params.url}})', { url: 'javascript:alert(1)' })).not.toContain('<a')
})

test('Renderer.render: three braces insert markdown and HTML unescaped', async () => {
  expect(await markdown('{{{params.x}}}', { x: '**b**' })).toBe('<p><strong>b</strong></p>\n')
  expect(await html('{{{params.x}}}', { x: '<b>' })).toBe('<b>')
})

test('Renderer.render: supports helpers in markdown', async () => {
  const params = { list: ['*a*', 'b'], zero: 0, no: false }
  expect(
    await markdown(
      '{{lookup params.list 0}} {{params.zero}} {{params.no}} {{params.none}}|',
      params,
    ),
  ).toBe('<p>*a* 0 false |</p>\n')
  expect(await markdown('{{#each params.list}}\n- {{this}}\n{{/each}}', params)).toBe(
    '<ul>\n<li>*a*</li>\n<li>b</li>\n</ul>\n',
  )
})

test.each([
  ['{{constructor}}'],
  ['{{params.constructor.constructor}}'],
  ['{{lookup params "constructor"}}'],
  ['{{#with "s" as |s|}}{{s.constructor}}{{s.sub}}{{/with}}'],
  ['{{__proto__}}{{params.__proto__}}{{params.toString}}{{params.valueOf}}'],
  ['{{lookup (lookup params "__proto__") "constructor"}}'],
  ['{{#with params.list as |l|}}{{l.push}}{{l.map}}{{l.__lookupGetter__}}{{/with}}'],
  ['{{#each params.__proto__}}{{@key}}{{/each}}'],
])('Renderer.render: %s renders to nothing', async (source) => {
  expect(await html(source, { list: [1] })).toBe('')
})

test.each([
  ['{{log "x"}}', 'helper'],
  ['{{helperMissing}}', ''],
  ['{{helperMissing "x"}}', ''],
  ['{{#blockHelperMissing "x"}}y{{/blockHelperMissing}}', ''],
  ['{{params.constructor "return process"}}', 'helper'],
  ['{{#with (lookup params "x" "constructor")}}{{constructor "return 1"}}{{/with}}', ''],
  ['{{> partial}}', 'partials'],
  ['{{> (lookup . "x")}}', 'partials'],
  ['{{#> layout}}x{{/layout}}', 'partials'],
  ['{{#*inline "x"}}y{{/inline}}', 'decorators'],
  ['{{* decorator}}', 'decorators'],
])('Renderer.render: %s is rejected or renders to nothing', async (source, reason) => {
  const outcome = await html(source).catch((error: AppError) => [error.kind, error.message])
  if (reason !== '') expect(outcome).toEqual(['unprocessable', expect.stringContaining(reason)])
  else expect(outcome === '' || outcome?.[0] === 'unprocessable').toBe(true)
})

test('Renderer.render: values named after prototypes do not affect other renderings', async () => {
  const params = JSON.parse(
    '{"__proto__": {"polluted": "yes"}, "constructor": {"prototype": {"polluted": "yes"}}}',
  ) as Record<string, unknown>
  expect(await html('{{params.constructor.prototype.polluted}}', params)).toBe('yes')
  await html('{{#each params}}{{#with this}}{{polluted}}{{/with}}{{/each}}', params)
  expect(
    await html('{{polluted}}{{params.polluted}}{{#with params.o}}{{polluted}}{{/with}}', { o: {} }),
  ).toBe('')
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
})

test.each<[string, string, string, number]>([
  ['an open block', 'one\ntwo {{#if params.x}}\nthree', 'html', 3],
  ['braces that do not close', 'one\n{{params.x', 'html', 2],
  ['a block with another closing tag', '{{#if x}}\n{{/each}}', 'html', 1],
  ['an unknown helper', '\n\n{{shout params.x}}', 'html', 3],
])(
  'Renderer.render: %s is unprocessable, with field and line',
  async (...[, source, field, line]) => {
    const [kind, message] = await rejection(html(source))
    expect(kind).toBe('unprocessable')
    expect(message).toContain(`The ${field} of the template cannot be rendered (line ${line})`)
    expect(await renderer.check({ html: source }, 'html')).toEqual([
      { field, line, reason: expect.any(String) },
    ])
  },
)

test('Renderer.check: lists the problems of all texts', async () => {
  const broken = { subject: '{{#if}', text: '{{ok}}', html: '{{/x}}' }
  expect(await renderer.check({ subject: '{{x}}', html: '{{#if x}}{{/if}}' }, 'markdown')).toEqual(
    [],
  )
  const problems = await renderer.check(broken, 'html')
  expect(problems.map(({ field }) => field)).toEqual(['subject', 'html'])
})

test('Renderer.render: rejects deep nesting', async () => {
  const depth = 5000
  // The message template is rejected for its depth or for its time.
  await using limited = new Renderer({ timeoutMs: 300, maxOutputBytes: 100_000 })
  const blocks = '{{#if x}}'.repeat(depth) + '{{/if}}'.repeat(depth)
  const expressions = `{{lookup ${'(lookup '.repeat(depth)}a b${')'.repeat(depth)} b}}`
  for (const source of [blocks, expressions]) {
    const options = { format: 'html', context: contextOf({}) } as const
    expect((await rejection(limited.render({ html: source }, options)))[0]).toBe('unprocessable')
  }
  const deep = JSON.parse('['.repeat(500) + ']'.repeat(500)) as unknown
  expect(typeof (await html('{{params.deep}}', { deep }))).toBe('string')
})

const many = Array.from({ length: 2000 }, (_, index) => index)
const nested = (inner: string) =>
  '{{#each @root.params.many}}'.repeat(4) + inner + '{{/each}}'.repeat(4)

test('Renderer.render: ends an endless template without delaying other accounts', async () => {
  await using renderer = new Renderer({ timeoutMs: 500, maxOutputBytes: 100_000 })
  const draw = (content: TemplateContent, params: Record<string, unknown>, account: string) =>
    renderer.render(content, { format: 'html', context: contextOf(params, account) })
  const slow = rejection(draw({ html: nested('{{#if x}}y{{/if}}') }, { many }, 'hostile'))
  const more = [1, 2].map(() => rejection(draw({ html: nested('') }, { many }, 'hostile')))
  const first = await Promise.race([slow, draw({ text: 'of another' }, {}, 'other')])
  expect(first).toEqual({ text: 'of another' })
  const timeout = ['unprocessable', 'The template takes too long to render']
  expect(await Promise.all([slow, ...more])).toEqual([timeout, timeout, timeout])
  expect((await draw({ html: 'again' }, {}, 'hostile')).html).toBe('again')
})

test('Renderer.render: rejects an output above maxOutputBytes before allocating it', async () => {
  const text = 'x'.repeat(10_000)
  const source = `{{#each @root.params.many}}{{#each @root.params.many}}${text}{{/each}}{{/each}}`
  const few = many.slice(0, 200)
  const [kind, message] = await rejection(html(source, { many: few }))
  expect([kind, message]).toEqual([
    'unprocessable',
    'The html of the template cannot be rendered: renders to more than is allowed',
  ])
  expect((await rejection(markdown(source, { many: few })))[0]).toBe('unprocessable')
  // The sum of the two rendered template texts exceeds the output limit.
  const half = 'é'.repeat(30_000)
  expect((await rejection(render({ text: half, html: half })))[0]).toBe('unprocessable')
})

test('Renderer.render: a template beyond the heap ends its process only', async () => {
  const small = new Renderer({ timeoutMs: 60_000, maxOutputBytes: 1000, maxMemoryMb: 24 })
  try {
    const context = contextOf({ many })
    const options = { format: 'html', context } as const
    // The output of the template grows within one text, whose parts stay in memory until the text
    // is complete.
    const [kind] = await rejection(small.render({ html: nested('{{@index}}{{@key}}') }, options))
    expect(kind).toBe('unprocessable')
    expect(await small.render({ text: 'fine' }, options)).toEqual({ text: 'fine' })
  } finally {
    await small[Symbol.asyncDispose]()
  }
})

test.each<[string, string, Record<string, unknown>, 'html' | 'markdown']>([
  ['one long value', '{{params.x}}', { x: '"'.repeat(20_000_000) }, 'html'],
  ['a long list', '{{params.x}}', { x: Array(2_000_000).fill(['*']) }, 'markdown'],
  ['a long template', '<p>{{a}}</p>'.repeat(400_000), {}, 'html'],
])(
  'Renderer.render: %s that exceeds the heap in one allocation ends its process only',
  async (...[, source, params, format]) => {
    const limits = { timeoutMs: 60_000, maxOutputBytes: 200_000_000, maxMemoryMb: 24 }
    const small = new Renderer(limits)
    try {
      const options = { format, context: contextOf(params) }
      expect(await rejection(small.render({ html: source }, options))).toEqual([
        'unprocessable',
        'The template takes too much memory to render',
      ])
      const again = await small.render({ text: 'fine' }, { format, context: contextOf({}) })
      expect(again).toEqual({ text: 'fine' })
    } finally {
      await small[Symbol.asyncDispose]()
    }
  },
)

test('Renderer: after disposal, rejects waiting and new jobs as unavailable', async () => {
  const closing = new Renderer({ timeoutMs: 10_000, maxOutputBytes: 1000 })
  const options = { format: 'html', context: contextOf({ many }) } as const
  const waiting = [1, 2, 3].map(() => rejection(closing.render({ html: nested('') }, options)))
  await closing[Symbol.asyncDispose]()
  expect((await Promise.all(waiting)).map(([kind]) => kind)).toEqual(Array(3).fill('unavailable'))
  expect((await rejection(closing.render({ text: '' }, options)))[0]).toBe('unavailable')
})
