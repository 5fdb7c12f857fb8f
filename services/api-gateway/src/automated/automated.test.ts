import { expect, test } from '@jest/globals'
import { isCrawlerName } from './automated.ts'

test.each([
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0 Safari/537.36',
  'python-requests/2.31',
  'curl/8.5.0',
])('isCrawlerName: %s, true', (userAgent) => {
  expect(isCrawlerName(userAgent)).toBe(true)
})

test.each([
  '',
  'Mozilla/5.0',
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html',
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.1.0',
  'Mozilla/4.0 (compatible; ms-office; MSOffice 16)',
  'Outlook-iOS/709.2226530.prod.iphone (3.24.0)',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
  'Evolution/3.46',
])('isCrawlerName: %j, false', (userAgent) => {
  expect(isCrawlerName(userAgent)).toBe(false)
})
