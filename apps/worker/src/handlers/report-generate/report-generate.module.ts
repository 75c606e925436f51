import { Module, type DynamicModule } from '@nestjs/common';
import { ThreadDataModule } from '../../reports/thread-data.module.js';
import { ReportGenerateHandler } from './report-generate.handler.js';

@Module({})
class ReportGenerateModule {}

/** Runs jobs of the type `report.generate` in a thread. */
export default (): DynamicModule => ({
  module: ReportGenerateModule,
  imports: [ThreadDataModule.fromEnvironment()],
  providers: [ReportGenerateHandler],
});
