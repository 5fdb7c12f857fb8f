import { describe, expect, test } from '@jest/globals'
import { UsageError } from '../../exit-codes.ts'
import { parseAssignments } from './parse-assignments.ts'
import { describeChange, planSettings } from './plan-settings.ts'

describe('planSettings', () => {
  test('settings that differ; absent settings stay', () => {
    const stored = { webhooksEnabled: false, webhookEvents: ['*'], webhooks: null }
    expect(planSettings({ webhooksEnabled: true, webhookEvents: ['*'] }, stored)).toEqual([
      { key: 'webhooksEnabled', from: false, to: true },
    ])
  })

  test('the output of the server is no difference: masks, secrets as true or false', () => {
    const stored = {
      webhooks: 'https://u:******@a.example/',
      webhooksCustomHeaders: [{ key: 'X', value: '******' }],
      serviceSecret: true,
      openAiAPIKey: false,
      eventTypes: ['messageNew'],
    }
    expect(planSettings(stored, { ...stored, eventTypes: undefined })).toEqual([])
    expect(planSettings({ serviceSecret: '******' }, stored)).toEqual([])
    expect(planSettings({ openAiAPIKey: null }, stored)).toEqual([])
  })

  test('a secret is a difference that is not shown', () => {
    const changes = planSettings(
      { serviceSecret: 'hush', webhooks: 'https://u:hush@a.example/' },
      { serviceSecret: true, webhooks: null },
    )
    expect(changes.map(describeChange)).toEqual([
      'serviceSecret: (secret) -> (secret)',
      'webhooks: null -> (secret)',
    ])
  })
})

describe('parseAssignments', () => {
  test('JSON, or else a text', () => {
    const args = ['a=true', 'b=["*"]', 'c=https://x.example/?q=1', 'd="10"', 'e=', 'f=null']
    expect(parseAssignments(args)).toEqual({
      a: true,
      b: ['*'],
      c: 'https://x.example/?q=1',
      d: '10',
      e: '',
      f: null,
    })
  })

  test.each([
    'serviceSecret=hush',
    'openAiAPIKey=sk-1',
    'webhooks=https://u:hush@a.example/',
    'webhooks=https://hush@a.example/',
    'webhooks=https://u:hush%zz@a.example/',
    'scriptEnv={"token":"hush"}',
    'webhooksCustomHeaders=[{"key":"X","value":"hush"}]',
  ])('%s: a secret is no argument', (arg) => {
    expect(() => parseAssignments([arg])).toThrow(UsageError)
    expect(() => parseAssignments([arg])).not.toThrow('hush')
  })

  test.each([
    'openAiAPIKey=null',
    'webhooks=https://u:******@a.example/',
    'webhooks=https://******@a.example/',
    'webhooks=https://%2A%2A%2A%2A%2A%2A@a.example/',
    'webhooks=https://a.example/?q=%zz',
  ])('%s is allowed', (arg) => {
    expect(() => parseAssignments([arg])).not.toThrow()
  })

  test.each([[['a']], [['a=1', 'a=2']], [['=1']]])('%j is a usage error', (args) => {
    expect(() => parseAssignments(args)).toThrow(UsageError)
  })
})
