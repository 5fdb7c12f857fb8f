import { expect, test } from '@jest/globals'
import { checkout } from '@posthorn/local/paths'
import { listDevelopmentPackages } from './development-packages.ts'

test('listDevelopmentPackages: packages of tests, tools and the build, not of processes', () => {
  const names = listDevelopmentPackages(checkout)
  const development = ['jest', 'typescript', 'testcontainers', 'playwright-core', 'rolldown']
  for (const name of development) expect(names).toContain(name)
  for (const name of ['imapflow', 'pg', 'smtp-server', '@posthorn/sender'])
    expect(names).not.toContain(name)
})
