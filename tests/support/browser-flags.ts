/**
 * What the driver of the browser turns off by itself (playwright-core, `chromiumSwitches`). Of two lists the browser
 * takes the last, so ours has to say it again.
 */
const OFF_ANYWAY = [
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];
/**
 * Pages of the browser's own, which it loads ahead for every window and nobody sees here, and processes in reserve:
 * they took more of the processor than the pages under test.
 */
const NEVER_SEEN = [
  'PreloadTopChromeWebUI',
  'SpareRendererForSitePerProcess',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxPopup',
];

/** Nothing that the browser does for itself may reach the network, wait for it, or take time from the tests. */
export const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${[...OFF_ANYWAY, ...NEVER_SEEN].join(',')}`,
];
