import { expect, test } from '@jest/globals'
import { pageEntry } from './page-build.ts'

test('pageEntry: collects modules and styles of all imports once, without dynamic imports', () => {
  const manifest = {
    'src/main.tsx': {
      file: 'assets/main.js',
      isEntry: true,
      css: ['assets/main.css'],
      imports: ['_a'],
    },
    _a: { file: 'assets/a.js', imports: ['_b', 'src/main.tsx'], css: ['assets/a.css'] },
    _b: { file: 'assets/b.js', imports: ['_a'], css: ['assets/a.css'] },
    'src/page.tsx': { file: 'assets/page.js', css: ['assets/page.css'] },
  }
  expect(pageEntry(manifest)).toEqual({
    script: 'assets/main.js',
    styles: ['assets/main.css', 'assets/a.css'],
    modules: ['assets/a.js', 'assets/b.js'],
  })
})

test('pageEntry: a manifest without an entry is rejected', () => {
  expect(() => pageEntry({ _a: { file: 'assets/a.js' } })).toThrow('no entry')
})
