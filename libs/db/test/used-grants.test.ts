import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { roleOf, type ServiceName, serviceNames } from '@posthorn/contracts/services'

const root = join(import.meta.dirname, '../../..')

/** Database tables that only the previous release uses. A later migration revokes their grants. */
const ofPreviousRelease: Partial<Record<ServiceName, readonly string[]>> = {
  sender: ['list_blocks'],
}

/** Database tables of a service role in grants.md. */
async function grantedTables(service: ServiceName): Promise<string[]> {
  const page = await readFile(join(root, 'libs/db/grants.md'), 'utf8')
  const section = page.split(`\n## ${roleOf(service)}\n`)[1]?.split('\n## ')[0] ?? ''
  return [...section.matchAll(/^\| (\w+) \|/gm)].flatMap(([, name = '']) =>
    name === 'what' ? [] : name,
  )
}

/** Source text of a service and of the libraries it depends on, without table types and tests. */
async function sourcesOf(service: ServiceName): Promise<string> {
  const folder = join(root, 'services', service)
  const { dependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  const libraries = Object.keys(dependencies).flatMap((name) =>
    // The package `contracts` is left out: it contains names of lists and operations, but no SQL
    // statement.
    name.startsWith('@posthorn/') && name !== '@posthorn/contracts'
      ? join(root, 'libs', name.slice('@posthorn/'.length))
      : [],
  )
  const texts: string[] = []
  for (const package_ of [folder, ...libraries])
    for await (const file of glob(join(package_, 'src/**/*.ts')))
      if (!file.includes('/tables/') && !file.endsWith('.test.ts'))
        texts.push(await readFile(file, 'utf8'))
  return texts.join('\n')
}

const camelCase = (name: string) =>
  name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase())

test.each(serviceNames)('grants: the code of %s uses each table of its role', async (service) => {
  const tables = await grantedTables(service)
  expect(tables.length).toBeGreaterThan(3)
  const sources = await sourcesOf(service)
  const isUsed = (table: string) => new RegExp(`\\b(${table}|${camelCase(table)})\\b`).test(sources)
  const unused = tables.filter((table) => !isUsed(table))
  expect(unused).toEqual(ofPreviousRelease[service] ?? [])
})
