import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import {
  coreServices,
  optionalServices,
  type ServiceName,
  serviceNames,
} from '@posthorn/contracts/services'
import { poolSizes } from './pool-sizes.ts'
import { readServiceConfig } from './service-config.ts'

const page = readFileSync(new URL('../../../deploy/configuration.md', import.meta.url), 'utf8')
const sum = (services: readonly ServiceName[]) =>
  services.reduce((total, service) => total + poolSizes[service], 0)
const all = sum(coreServices)
/**
 * Postgres connections of the optional services, which have at most two replicas, also in an
 * update.
 */
const optional = 2 * sum(optionalServices)
/**
 * Numbers of replicas of every service, by column of the table of Postgres connections in
 * configuration.md.
 */
const columns = [1, 2, 3, 10, 50]
/** Number of Postgres connections of the jobs `migrate` and `reseal`. */
const jobs = 4

test('connection budget: the table in configuration.md has the defaults of the code', () => {
  const row = (name: string, size: number) =>
    `| ${[name, ...columns.map((replicas) => replicas * size)].join(' | ')} |`
  const [, section = ''] = page.split('## Connection budget\n')
  const table = section.split('\n').filter((line) => /^\| .*\d/.test(line))
  expect(table.slice(1, coreServices.length + 2)).toEqual([
    ...coreServices.map((service) => row(service, poolSizes[service])),
    row('all', all),
  ])
})

test('connection budget: two replicas fit into 100 connections, with the jobs and in an update', () => {
  expect(page).toContain(`adds ${optional} connections`)
  // Postgres reserves 3 connections for superusers, and at least 3 are left for operators. The jobs
  // `migrate` and `reseal` run before or after replicas are replaced.
  expect(2 * all + optional + jobs).toBeLessThanOrEqual(100 - 3 - 3)
  expect(3 * all + optional).toBeLessThanOrEqual(100 - 3 - 3)
})

test.each(serviceNames)('readServiceConfig: %s has its pool size, which can be set', (service) => {
  const env = { DATABASE_URL: 'postgres://db.example/mail', AMQP_URL: 'amqp://broker.example' }
  const sizeOf = (more: object) =>
    readServiceConfig({ ...env, ...more }, { service, port: 1 }).databasePoolSize
  expect(sizeOf({})).toBe(poolSizes[service])
  expect(sizeOf({ SVC_DATABASE_POOL_SIZE: '17' })).toBe(17)
})
