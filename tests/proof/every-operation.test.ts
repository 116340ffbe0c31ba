import { operationSuite, operations } from '../support/operation-suite.ts';

const test = operationSuite('every operation', operations);

test.run();
