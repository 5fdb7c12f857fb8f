import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { expectedResult, startSampleApi } from './sample-api.ts'
import { SampleProject } from './sample-project.ts'

// Tests of the packed API client in an empty project, as a user installs the client. `make
// client-platforms` runs the same program in Node 20, Deno and Bun.
const typeRoots = [resolve(import.meta.dirname, '../../../node_modules/@types')]
const folder = await mkdtemp(join(tmpdir(), 'posthorn-client-package-'))
afterAll(() => rm(folder, { recursive: true }))
const project = await SampleProject.create(folder)

test('package: compiles strictly with the types of Node', async () => {
  expect(await project.compile({ lib: ['es2022'], types: ['node'], typeRoots })).toBe('')
})

test('package: compiles strictly with the types of browsers', async () => {
  const lib = ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable', 'es2018.asynciterable']
  expect(await project.compile({ lib, module: 'esnext', moduleResolution: 'bundler' })).toBe('')
})

test('package: runs in this version of Node', async () => {
  await project.compile({ lib: ['es2022'], types: ['node'], typeRoots })
  await using api = await startSampleApi()
  expect(await project.run(process.execPath, [], api.url)).toEqual(expectedResult)
})
