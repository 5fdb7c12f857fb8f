import { expect, test } from '@jest/globals'
import { findForbiddenFiles } from './file-rules.ts'
import { parseListing } from './files.ts'

const line = (mode: string, path: string) => `${mode} 0/0        1234 2026-11-22 17:21 ${path}`
const find = (mode: string, path: string) =>
  findForbiddenFiles(parseListing(line(mode, path)), new Set(['jest', '@types/node']))

test.each([
  ['set-uid or set-gid', '-rwsr-xr-x', 'usr/bin/su'],
  ['set-uid or set-gid', '-rwxr-sr-x', 'usr/bin/chage'],
  ['world-writable', '-rw-rw-rw-', 'posthorn/posthorn.js'],
  ['world-writable', 'drwxrwxrwx', 'tmp/'],
  ['world-writable', 'drwxrwxrwt', 'var/tmp/'],
  ['package manager', '-rwxr-xr-x', 'usr/bin/apt-get'],
  ['package manager', 'lrwxrwxrwx', 'usr/local/bin/npm -> ../lib/node_modules/npm/bin/npm-cli.js'],
  ['compiler', '-rwxr-xr-x', 'usr/bin/gcc-12'],
  ['test', '-rw-r--r--', 'posthorn/node_modules/pg/lib/client.test.js'],
  ['source instead of a bundle', '-rw-r--r--', 'posthorn/libs/db/src/index.ts'],
  ['name of a secret', '-rw-------', 'root/.npmrc'],
  ['development package', 'drwxr-xr-x', 'posthorn/node_modules/@types/node/'],
])('findForbiddenFiles: reports %s, %s %s', (problem, mode, path) => {
  expect(find(mode, path)).toEqual([`${problem}: ${mode} ${path.split(' -> ')[0]}`])
})

test.each([
  ['drwxrwxrwt', 'tmp/'],
  ['lrwxrwxrwx', 'bin -> usr/bin'],
  ['hrwxr-xr-x', 'usr/bin/perl5.36.0 link to usr/bin/perl'],
  ['-rwxr-xr-x', 'usr/local/bin/node'],
  ['drwxr-xr-x', 'posthorn/node_modules/pg/'],
])('findForbiddenFiles: accepts %s %s', (mode, path) => {
  expect(find(mode, path)).toEqual([])
})

test('parseListing: rejects a line that it cannot read', () => {
  expect(() => parseListing('tar: error')).toThrow('tar listed a line without a path')
})
