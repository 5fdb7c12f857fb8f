import { expect, test } from '@jest/globals'
import {
  addComponents,
  billOfMaterials,
  debianComponents,
  nodeComponent,
  npmComponent,
} from './bill-of-materials.ts'

const paragraph = (name: string, status: string) =>
  `Package: ${name}\nStatus: install ok ${status}\nArchitecture: amd64\nDescription: text\n  Version: 9\nVersion: 1:2.36-9+deb12u1\n`

test('debianComponents: lists installed packages, without those that were removed', () => {
  const status = `${paragraph('libc6', 'installed')}\n${paragraph('apt', 'not-installed')}`
  expect(debianComponents(status)).toEqual([
    {
      type: 'library',
      name: 'libc6',
      version: '1:2.36-9+deb12u1',
      purl: 'pkg:deb/debian/libc6@1%3A2.36-9%2Bdeb12u1?arch=amd64',
    },
  ])
})

test('debianComponents: of an image without the list, throws', () => {
  expect(() => debianComponents('')).toThrow('the image has no list of installed packages')
})

test('addComponents: keeps Node and the packages of the bundle, and its version', () => {
  const bundled = billOfMaterials('1.2.3', [
    nodeComponent('24.1.0'),
    npmComponent({ name: '@a/b', version: '1.0.0', license: 'MIT' }),
  ])
  const [libc] = debianComponents(paragraph('libc6', 'installed'))
  const document = JSON.parse(addComponents(bundled, libc ? [libc] : [])) as {
    metadata: { component: { version: string } }
    components: { purl: string; cpe?: string }[]
  }
  expect(document.metadata.component.version).toBe('1.2.3')
  expect(document.components.map(({ purl }) => purl)).toEqual([
    'pkg:generic/node@24.1.0',
    'pkg:npm/%40a/b@1.0.0',
    libc?.purl,
  ])
  expect(document.components[0]?.cpe).toBe('cpe:2.3:a:nodejs:node.js:24.1.0:*:*:*:*:*:*:*')
})
