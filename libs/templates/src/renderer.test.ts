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

function render(content: TemplateContent, params: Record<string, unknown> = {}, lane?: string) {
  return renderer.render(content, { format: 'html', context: contextOf(params, lane) })
}
const html = async (source: string, params: Record<string, unknown> = {}) =>
  (await render({ html: source }, params)).html
const markdown = async (source: string, params: Record<string, unknown> = {}) => {
  const how = { format: 'markdown', context: contextOf(params) } as const
  return (await renderer.render({ html: source }, how)).html
}

async function refusal(work: Promise<unknown>): Promise<[string, string]> {
  const error = await work.then(
    (value) => new Error(`rendered ${JSON.stringify(value)?.slice(0, 200)}`),
    (error: AppError) => error,
  )
  return ['kind' in error ? error.kind : 'none', error.message]
}

test('values are escaped in html and nowhere else', async () => {
  const text = '{{params.x}} for {{rcpt.name}} by {{account.name}}'
  const content = { subject: text, text, html: text, previewText: text }
  expect(await render(content, { x: '<b>&"' })).toEqual({
    subject: '<b>&" for Eva by Acct',
    text: '<b>&" for Eva by Acct',
    html: '&lt;b&gt;&amp;&quot; for Eva by Acct',
    previewText: '<b>&" for Eva by Acct',
  })
})

test('what is not given stays absent, what is not there renders to nothing', async () => {
  expect(await render({ text: '[{{params.no.such}}{{nothing}}]' })).toEqual({ text: '[]' })
})

test('blocks of the built-in helpers work', async () => {
  const source =
    '{{#if params.a}}A{{else}}B{{/if}}{{#each params.list}}{{@index}}{{this}}{{../params.a}};{{/each}}{{#with params.o}}{{k}}{{/with}}{{#unless params.a}}U{{/unless}}{{lookup params.list 1}}{{#params.list}}{{.}}{{/params.list}}'
  expect(await html(source, { a: 1, list: ['x', 'y'], o: { k: 'v' } })).toBe('A0x1;1y1;vyxy')
})

test('a subject stays one line whatever is inserted', async () => {
  const { subject } = await render({ subject: 'Hi {{params.x}}' }, { x: 'a\r\nBcc: b@c.example' })
  expect(subject).toBe('Hi a Bcc: b@c.example')
})

test('markdown becomes HTML, and values in it stay text', async () => {
  const name = '<i>x</i> **b** [click](https://evil.example) `c` \n# h'
  expect(await markdown('# Hello {{params.name}}', { name: 'World' })).toBe(
    '<h1>Hello World</h1>\n',
  )
  const out = (await markdown('Dear {{params.name}}', { name })) ?? ''
  expect(out).toContain('&lt;i&gt;x&lt;/i&gt; **b** [click](https://evil.example) `c`')
  expect(out).not.toMatch(/<(?:a|i|strong|code|h1)\b/)
})

test('values in markdown serve as addresses, and none that runs', async () => {
  const url = 'https://a.example/x_y?b=1&c=(2)'
  expect(await markdown('[go]({{params.url}})', { url })).toBe(
    '<p><a href="https://a.example/x_y?b=1&amp;c=(2)">go</a></p>\n',
  )
  expect(await markdown('[go]({{rcpt.unsubscribeUrl}})')).toContain('https://post.example/u?x=1')
  expect(await markdown('[go]({{params.url}})', { url: 'javascript:alert(1)' })).not.toContain('<a')
})

test('three braces insert markdown and HTML as they are', async () => {
  expect(await markdown('{{{params.x}}}', { x: '**b**' })).toBe('<p><strong>b</strong></p>\n')
  expect(await html('{{{params.x}}}', { x: '<b>' })).toBe('<b>')
})

test('helpers work in markdown as well', async () => {
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
])('%s renders to nothing', async (source) => {
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
])('%s is refused or nothing', async (source, reason) => {
  const outcome = await html(source).catch((error: AppError) => [error.kind, error.message])
  if (reason !== '') expect(outcome).toEqual(['unprocessable', expect.stringContaining(reason)])
  else expect(outcome === '' || outcome?.[0] === 'unprocessable').toBe(true)
})

test('values named after prototypes are values, and reach no other rendering', async () => {
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
  ['a block closed by another', '{{#if x}}\n{{/each}}', 'html', 1],
  ['an unknown helper', '\n\n{{shout params.x}}', 'html', 3],
])('%s is 422 and says where', async (...[, source, field, line]) => {
  const [kind, message] = await refusal(html(source))
  expect(kind).toBe('unprocessable')
  expect(message).toContain(`The ${field} of the template cannot be rendered (line ${line})`)
  expect(await renderer.check({ html: source }, 'html')).toEqual([
    { field, line, reason: expect.any(String) },
  ])
})

test('what is good is found good, and all that is bad is listed', async () => {
  const broken = { subject: '{{#if}', text: '{{ok}}', html: '{{/x}}' }
  expect(await renderer.check({ subject: '{{x}}', html: '{{#if x}}{{/if}}' }, 'markdown')).toEqual(
    [],
  )
  const problems = await renderer.check(broken, 'html')
  expect(problems.map(({ field }) => field)).toEqual(['subject', 'html'])
})

test('deep nesting is refused', async () => {
  const depth = 5000
  // Be it for its depth or for its time.
  await using hasty = new Renderer({ timeoutMs: 300, maxOutputBytes: 100_000 })
  const blocks = '{{#if x}}'.repeat(depth) + '{{/if}}'.repeat(depth)
  const expressions = `{{lookup ${'(lookup '.repeat(depth)}a b${')'.repeat(depth)} b}}`
  for (const source of [blocks, expressions]) {
    const how = { format: 'html', context: contextOf({}) } as const
    expect((await refusal(hasty.render({ html: source }, how)))[0]).toBe('unprocessable')
  }
  const deep = JSON.parse('['.repeat(500) + ']'.repeat(500)) as unknown
  expect(typeof (await html('{{params.deep}}', { deep }))).toBe('string')
})

const many = Array.from({ length: 2000 }, (_, index) => index)
const nested = (inner: string) =>
  '{{#each @root.params.many}}'.repeat(4) + inner + '{{/each}}'.repeat(4)

test('a template that does not end is ended, and others go on meanwhile', async () => {
  await using patient = new Renderer({ timeoutMs: 500, maxOutputBytes: 100_000 })
  const draw = (content: TemplateContent, params: Record<string, unknown>, account: string) =>
    patient.render(content, { format: 'html', context: contextOf(params, account) })
  const slow = refusal(draw({ html: nested('{{#if x}}y{{/if}}') }, { many }, 'hostile'))
  const more = [1, 2].map(() => refusal(draw({ html: nested('') }, { many }, 'hostile')))
  const first = await Promise.race([slow, draw({ text: 'of another' }, {}, 'other')])
  expect(first).toEqual({ text: 'of another' })
  const told = ['unprocessable', 'The template takes too long to render']
  expect(await Promise.all([slow, ...more])).toEqual([told, told, told])
  expect((await draw({ html: 'again' }, {}, 'hostile')).html).toBe('again')
})

test('more than is allowed is refused before it takes memory', async () => {
  const text = 'x'.repeat(10_000)
  const source = `{{#each @root.params.many}}{{#each @root.params.many}}${text}{{/each}}{{/each}}`
  const few = many.slice(0, 200)
  const [kind, message] = await refusal(html(source, { many: few }))
  expect([kind, message]).toEqual([
    'unprocessable',
    'The html of the template cannot be rendered: renders to more than is allowed',
  ])
  expect((await refusal(markdown(source, { many: few })))[0]).toBe('unprocessable')
  // Together they are too long.
  const half = 'é'.repeat(30_000)
  expect((await refusal(render({ text: half, html: half })))[0]).toBe('unprocessable')
})

test('a template that eats memory ends its process and nothing else', async () => {
  const patient = new Renderer({ timeoutMs: 60_000, maxOutputBytes: 1000, maxMemoryMb: 24 })
  try {
    const context = contextOf({ many })
    const how = { format: 'html', context } as const
    // Grows within one text, whose parts are kept until it is whole.
    const [kind] = await refusal(patient.render({ html: nested('{{@index}}{{@key}}') }, how))
    expect(kind).toBe('unprocessable')
    expect(await patient.render({ text: 'fine' }, how)).toEqual({ text: 'fine' })
  } finally {
    await patient[Symbol.asyncDispose]()
  }
})

test.each<[string, string, Record<string, unknown>, 'html' | 'markdown']>([
  ['one long value', '{{params.x}}', { x: '"'.repeat(20_000_000) }, 'html'],
  ['a long list', '{{params.x}}', { x: Array(2_000_000).fill(['*']) }, 'markdown'],
  ['a long template', '<p>{{a}}</p>'.repeat(400_000), {}, 'html'],
])('%s that bursts the heap in one go ends nothing else', async (...[, source, params, format]) => {
  const limits = { timeoutMs: 60_000, maxOutputBytes: 200_000_000, maxMemoryMb: 24 }
  const small = new Renderer(limits)
  try {
    const how = { format, context: contextOf(params) }
    expect(await refusal(small.render({ html: source }, how))).toEqual([
      'unprocessable',
      'The template takes too much memory to render',
    ])
    const again = await small.render({ text: 'fine' }, { format, context: contextOf({}) })
    expect(again).toEqual({ text: 'fine' })
  } finally {
    await small[Symbol.asyncDispose]()
  }
})

test('a renderer that is closed takes nothing more, and what waits is told', async () => {
  const closing = new Renderer({ timeoutMs: 10_000, maxOutputBytes: 1000 })
  const how = { format: 'html', context: contextOf({ many }) } as const
  const waiting = [1, 2, 3].map(() => refusal(closing.render({ html: nested('') }, how)))
  await closing[Symbol.asyncDispose]()
  expect((await Promise.all(waiting)).map(([kind]) => kind)).toEqual(Array(3).fill('unavailable'))
  expect((await refusal(closing.render({ text: '' }, how)))[0]).toBe('unavailable')
})
