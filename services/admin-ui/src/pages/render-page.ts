import type { PageEntry } from './page-build.ts'

/**
 * Renders the HTML of the administration pages. All pages have the same HTML, and the script
 * displays the page of the address. React Aria reads the nonce from the `meta` element.
 */
export function renderPage({ script, styles, modules }: PageEntry, nonce: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<meta property="csp-nonce" nonce="${nonce}">
<title>Posthorn</title>
<link rel="icon" href="data:,">
${styles.map((path) => `<link rel="stylesheet" href="/admin/${path}">\n`).join('')}${modules
    .map((path) => `<link rel="modulepreload" href="/admin/${path}">\n`)
    .join('')}<script type="module" src="/admin/${script}"></script>
</head>
<body>
<div id="root"></div>
<noscript>The administration pages need JavaScript.</noscript>
</body>
</html>
`
}

/** HTML that admin-ui sends in a checkout in which the administration pages have not been built. */
export const notBuiltPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Posthorn</title>
</head>
<body>
<h1>The administration pages have not been built</h1>
<p>Run <code>make admin-ui</code> and restart the system: <code>make down</code>, <code>make up</code>.</p>
</body>
</html>
`
