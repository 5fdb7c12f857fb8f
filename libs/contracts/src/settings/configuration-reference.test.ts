import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { settingKeys } from './settings.ts'

test('the configuration reference describes every setting, and no other', () => {
  const file = new URL('../../../../deploy/configuration.md', import.meta.url)
  const described = readFileSync(file, 'utf8').split('## Settings')[1] ?? ''
  const rows = [...described.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/\w+/g)].map(([name]) => name),
  )
  expect(rows.toSorted()).toEqual(settingKeys.toSorted())
})
