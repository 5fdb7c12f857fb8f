import { readFileSync } from 'node:fs'
import {
  type DiscoveryDescription,
  generateDiscoveryTypes,
  generateGraphTypes,
  type GraphDescription,
} from './generate.ts'

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`./descriptions/${name}.json`, import.meta.url), 'utf8'))

/**
 * Returns the generated files with the types of the provider APIs, as pairs of file name and text.
 */
export function generateProviderTypes(): [file: URL, text: string][] {
  const texts = {
    gmail: generateDiscoveryTypes(read('gmail') as DiscoveryDescription, 'Gmail'),
    pubsub: generateDiscoveryTypes(read('pubsub') as DiscoveryDescription, 'PubSub'),
    graph: generateGraphTypes(read('graph') as GraphDescription),
  }
  return Object.entries(texts).map(([name, text]) => [
    new URL(`./${name}.ts`, import.meta.url),
    text,
  ])
}
