import { describe, expect, test } from '@jest/globals'
import { planRoutes, readRoutes, type StoredRoute } from './plan-routes.ts'

const stored = (change: Partial<StoredRoute>): StoredRoute => ({
  id: 'id',
  name: 'Invoices',
  description: '',
  created: '',
  updated: '',
  enabled: true,
  expiresAt: null,
  targetUrl: 'https://hooks.example/a',
  customHeaders: [],
  v: 1,
  content: { fn: 'return true', map: null },
  ...change,
})
const wanted = { name: 'Invoices', targetUrl: 'https://hooks.example/a' }

describe('planRoutes', () => {
  test('absent members and equal members are no change', () => {
    expect(planRoutes([wanted], [stored({})])).toEqual([])
    const same = { ...wanted, enabled: true, description: null, content: { fn: 'return true' } }
    expect(planRoutes([{ ...same, content: { ...same.content, map: ' ' } }], [stored({})])).toEqual(
      [],
    )
  })

  test('creates, updates and deletes by name', () => {
    const other = { name: 'Chat', targetUrl: 'https://chat.example' }
    const changed = { ...wanted, enabled: false, content: { fn: null } }
    const existing = [stored({}), stored({ id: 'old', name: 'Old' })]
    expect(planRoutes([changed, other], existing)).toEqual([
      {
        action: 'update',
        name: 'Invoices',
        id: 'id',
        members: ['enabled', 'content.fn'],
        body: changed,
      },
      { action: 'create', name: 'Chat', members: ['name', 'targetUrl'], body: other },
      { action: 'delete', name: 'Old', id: 'old', members: [] },
    ])
  })

  test('a temporary route is neither changed nor deleted', () => {
    const temporary = stored({ expiresAt: '2030-01-31T08:00:00.000Z' })
    expect(planRoutes([], [temporary])).toEqual([])
    expect(planRoutes([wanted], [temporary])).toMatchObject([{ action: 'create' }])
  })

  test('a secret is written each time, its mask is not', () => {
    const masked = {
      targetUrl: 'https://u:******@hooks.example/',
      customHeaders: [{ key: 'X-Key', value: '******' }],
    }
    expect(planRoutes([{ ...wanted, ...masked }], [stored(masked)])).toEqual([])
    const plain = {
      targetUrl: 'https://u:secret@hooks.example/',
      customHeaders: [{ key: 'X-Key', value: 'secret' }],
    }
    expect(planRoutes([{ ...wanted, ...plain }], [stored(masked)])).toMatchObject([
      { members: ['targetUrl', 'customHeaders'] },
    ])
  })

  test('two stored routes with a name of the file are an error', () => {
    expect(() => planRoutes([wanted], [stored({}), stored({ id: 'b' })])).toThrow('several routes')
  })
})

describe('readRoutes', () => {
  test.each<[string, unknown]>([
    ['is no list', { webhooks: [] }],
    ['unknown member filter', [{ ...wanted, filter: 'x' }]],
    ['unknown member expiresAt', [{ ...wanted, expiresAt: null }]],
    ['needs the texts', [{ name: 'a' }]],
    ['repeats the name', [wanted, wanted]],
    ['has no members', ['a']],
  ])('%s', (message, document) => {
    expect(() => readRoutes(document, 'routes.yaml')).toThrow(message)
  })

  test('a list, or a list below `routes`', () => {
    expect(readRoutes([wanted], 'f')).toEqual([wanted])
    expect(readRoutes({ routes: [wanted] }, 'f')).toEqual([wanted])
  })
})
