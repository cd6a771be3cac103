import { build } from './build.mjs';

/** Before tests that start the server or the driver: both are built once for all of them, when they are stale. */
export const setup = () => build({ only: ['server', 'driver'] });
